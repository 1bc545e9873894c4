// SPDX-License-Identifier: MIT
// Hello, map, look.
#include "support/lease_client.hpp"

#include "support/process.hpp"

#include <csignal>
#include <cstring>
#include <sstream>
#include <stdexcept>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

namespace test_support {

namespace {

std::byte* map(int fd, std::size_t size, int protection) {
        void* start = ::mmap(nullptr, size, protection, MAP_SHARED, fd, 0);
        if (start == MAP_FAILED)
                throw std::runtime_error("mmap of an arena");
        return static_cast<std::byte*>(start);
}

}  // namespace

LeaseMemory::LeaseMemory(const std::vector<int>& descriptors, std::uint32_t slot) : slot_(slot) {
        if (descriptors.size() != 2)
                throw std::runtime_error(std::to_string(descriptors.size()) + " descriptors");
        grants_fd_ = descriptors[0];
        reports_fd_ = descriptors[1];
        if (::pread(grants_fd_, &header_, sizeof(header_), 0) != sizeof(header_))
                throw std::runtime_error("no header");
        grants_ = map(grants_fd_, header_.size, PROT_READ);
        reports_ = map(reports_fd_, header_.report_size, PROT_READ | PROT_WRITE);
}

LeaseMemory::~LeaseMemory() {
        ::munmap(grants_, header_.size);
        ::munmap(reports_, header_.report_size);
        ::close(grants_fd_);
        ::close(reports_fd_);
}

std::uint64_t LeaseMemory::word() const {
        const auto offset = header_.slots_offset + std::uint64_t{slot_} * header_.slot_size;
        return reinterpret_cast<const std::atomic<std::uint64_t>*>(grants_ + offset)
                ->load(std::memory_order_acquire);
}

governor_report_slot& LeaseMemory::report() const {
        const auto offset = std::uint64_t{slot_} * header_.report_slot_size;
        return *reinterpret_cast<governor_report_slot*>(reports_ + offset);
}

LeaseMemory* LeaseClient::hello(const governor::v1::Hello& hello) {
        governor::v1::Request request;
        *request.mutable_hello() = hello;
        const auto reply = wire_.call(request);
        last_ = reply.value_or(governor::v1::Reply());
        if (!last_.has_welcome())
                return nullptr;
        memory_ = std::make_unique<LeaseMemory>(wire_.take_descriptors(), last_.welcome().slot());
        return memory_.get();
}

std::optional<governor::v1::Reply> LeaseClient::update(std::uint32_t max) {
        governor::v1::Request request;
        request.mutable_update()->mutable_wishes()->set_max(max);
        return wire_.call(request);
}

std::optional<governor::v1::Reply> LeaseClient::bye() {
        governor::v1::Request request;
        request.mutable_bye();
        return wire_.call(request);
}

ForkedProgram::ForkedProgram(const std::function<void()>& body, std::optional<uid_t> uid)
        : pid_(fork_child(uid)) {
        if (pid_ > 0)
                return;
        try {
                body();
        } catch (const std::exception&) {
                ::_exit(1);
        }
        ::_exit(0);
}

ForkedProgram::~ForkedProgram() { kill(); }

void ForkedProgram::kill() {
        if (pid_ < 0)
                return;
        ::kill(pid_, SIGKILL);
        ::waitpid(pid_, nullptr, 0);
        pid_ = -1;
}

bool ForkedProgram::finishes() {
        int status = -1;
        ::waitpid(pid_, &status, 0);
        pid_ = -1;
        return status == 0;
}

void hold_a_lease(const std::string& socket, void (*meanwhile)()) {
        LeaseClient client(socket);
        if (client.hello() == nullptr)
                throw std::runtime_error(client.last().error().message());
        for (;;)
                meanwhile();
}

std::vector<governor::v1::Client> leases(const std::string& socket) {
        std::vector<governor::v1::Client> all;
        WireClient wire(socket);
        governor::v1::Request request;
        request.mutable_clients();
        for (;;) {
                const auto reply = wire.call(request);
                if (!reply || !reply->has_clients())
                        throw std::runtime_error("no answer to clients");
                for (const auto& client : reply->clients().client())
                        all.push_back(client);
                if (!reply->clients().more())
                        return all;
                request.mutable_clients()->set_after(all.back().id());
        }
}

std::optional<governor::v1::Client> lease_of(const std::string& socket, std::uint32_t pid) {
        for (auto& client : leases(socket))
                if (client.pid() == pid)
                        return client;
        return std::nullopt;
}

governor::v1::Explanation explanation_of(const std::string& socket, std::uint32_t pid) {
        governor::v1::Request request;
        request.mutable_explain()->set_pid(pid);
        const auto reply = WireClient(socket).call(request);
        return reply ? reply->explanation() : governor::v1::Explanation();
}

std::set<unsigned> cpus_of(const std::string& list) {
        std::set<unsigned> cpus;
        std::istringstream parts(list);
        for (std::string part; std::getline(parts, part, ',');) {
                const auto dash = part.find('-');
                const auto first = std::stoul(part);
                const auto last = dash != part.npos ? std::stoul(part.substr(dash + 1)) : first;
                for (auto cpu = first; cpu <= last; cpu++)
                        cpus.insert(static_cast<unsigned>(cpu));
        }
        return cpus;
}

}  // namespace test_support
