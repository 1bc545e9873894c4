// SPDX-License-Identifier: MIT
// One word of shared memory per member, on which it waits.
#include "flock.hpp"

#include "descriptors.hpp"
#include "futex.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <climits>
#include <csignal>
#include <cstring>
#include <stdexcept>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace bench {

namespace {

constexpr std::int64_t kMicrosecond = 1'000;
constexpr std::uint64_t kMicrosecondsPerTick = 10'000;
constexpr std::int64_t kPatienceWithMembers = 20 * kSecond;
/// Each member's use of CPU time is written down this often, so that whenever the governor looks
/// it finds about what was used.
constexpr std::uint32_t kBurn = 100;  // ms

enum class Order : std::uint32_t { Join, Leave };

/// One byte, and room for the two descriptors of a lease.
struct DescriptorMessage {
        DescriptorMessage() {
                header.msg_iov = &bytes;
                header.msg_iovlen = 1;
                header.msg_control = control.data();
                header.msg_controllen = control.size();
        }
        DescriptorMessage(const DescriptorMessage&) = delete;
        DescriptorMessage& operator=(const DescriptorMessage&) = delete;

        char nothing = 0;
        iovec bytes{&nothing, 1};
        alignas(cmsghdr) std::array<char, CMSG_SPACE(2 * sizeof(int))> control{};
        msghdr header{};
};

void pass_descriptors(int to, const Lease& lease) {
        DescriptorMessage message;
        auto* header = CMSG_FIRSTHDR(&message.header);
        header->cmsg_level = SOL_SOCKET;
        header->cmsg_type = SCM_RIGHTS;
        header->cmsg_len = CMSG_LEN(2 * sizeof(int));
        const std::array<int, 2> fds{lease.grants_fd(), lease.reports_fd()};
        std::memcpy(CMSG_DATA(header), fds.data(), sizeof(fds));
        if (::sendmsg(to, &message.header, MSG_NOSIGNAL) < 0)
                fail("sendmsg to the parent");
}

std::array<UniqueFd, 2> take_descriptors(int from) {
        DescriptorMessage message;
        if (::recvmsg(from, &message.header, MSG_CMSG_CLOEXEC) != 1 ||
            CMSG_FIRSTHDR(&message.header) == nullptr)
                fail("recvmsg from a member");
        std::array<int, 2> fds{};
        std::memcpy(fds.data(), CMSG_DATA(CMSG_FIRSTHDR(&message.header)), sizeof(fds));
        return {UniqueFd(fds[0]), UniqueFd(fds[1])};
}

}  // namespace

struct Flock::Berth {
        std::atomic<std::uint32_t> orders;  // counts up; the member waits on it
        std::atomic<std::uint32_t> done;    // the last order that was carried out
        std::atomic<std::uint32_t> failed;
        Order order;
        Wishes wishes;
        std::int64_t sent_ns;
        std::uint32_t slot;
        std::array<char, 200> why;
};

Flock::Flock(FlockOptions options)
        : options_(std::move(options)), members_(options_.members), passed_at_ns_(now_ns()) {
        if (!options_.root.empty())
                machine_.emplace(options_.root, options_.cpus);
        std::array<int, 2> ends{};
        if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) < 0)
                fail("socketpair");
        from_members_ = UniqueFd(ends[0]);
        to_parent_ = UniqueFd(ends[1]);
        void* shared = ::mmap(nullptr, sizeof(Berth) * members_.size(), PROT_READ | PROT_WRITE,
                              MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        if (shared == MAP_FAILED)
                fail("mmap");
        berths_ = static_cast<Berth*>(shared);
        for (std::uint32_t member = 0; member < size(); member++)
                start(member);
}

Flock::~Flock() {
        for (const auto& member : members_)
                if (member.pid > 0)
                        ::kill(member.pid, SIGKILL);
        for (const auto& member : members_)
                if (member.pid > 0)
                        ::waitpid(member.pid, nullptr, 0);
        ::munmap(berths_, sizeof(Berth) * members_.size());
}

void Flock::start(std::uint32_t member) {
        auto& berth = *new (&berths_[member]) Berth{};
        const auto parent = ::getpid();
        const auto pid = ::fork();
        if (pid < 0)
                fail("fork");
        if (pid == 0) {
                ::prctl(PR_SET_PDEATHSIG, SIGKILL);
                if (::getppid() != parent)
                        ::raise(SIGKILL);
                serve(berth, options_.governor, to_parent_.get());
        }
        members_[member] = {pid, nullptr, 0, 0, 0};
        if (machine_)
                machine_->add(pid);
}

void Flock::serve(Berth& berth, const std::string& governor, int to_parent) {
        std::optional<Lease> lease;
        for (std::uint32_t number = 1;; number++) {
                while (berth.orders.load(std::memory_order_acquire) != number)
                        futex(berth.orders, FUTEX_WAIT, number - 1);
                try {
                        if (berth.order == Order::Join) {
                                lease.emplace(governor);
                                berth.sent_ns = lease->hello(berth.wishes);
                                berth.slot = lease->slot();
                                pass_descriptors(to_parent, *lease);
                        } else {
                                berth.sent_ns = lease->bye();
                                lease.reset();
                        }
                } catch (const std::exception& error) {
                        std::strncpy(berth.why.data(), error.what(), berth.why.size() - 1);
                        berth.failed.store(1, std::memory_order_release);
                }
                berth.done.store(number, std::memory_order_release);
        }
}

void Flock::order_join(std::uint32_t member, const Wishes& wishes) {
        auto& berth = berths_[member];
        berth.order = Order::Join;
        berth.wishes = wishes;
        berth.orders.fetch_add(1, std::memory_order_release);
        futex(berth.orders, FUTEX_WAKE, INT_MAX);
}

void Flock::order_leave(std::uint32_t member) {
        auto& berth = berths_[member];
        berth.order = Order::Leave;
        members_[member].pages = nullptr;
        berth.orders.fetch_add(1, std::memory_order_release);
        futex(berth.orders, FUTEX_WAKE, INT_MAX);
}

std::int64_t Flock::sent_ns(std::uint32_t member) {
        auto& berth = berths_[member];
        const auto until_ns = now_ns() + kPatienceWithMembers;
        while (berth.done.load(std::memory_order_acquire) !=
               berth.orders.load(std::memory_order_relaxed)) {
                if (now_ns() > until_ns)
                        throw std::runtime_error("a member was not answered in time");
                std::this_thread::sleep_for(std::chrono::microseconds(50));
        }
        if (berth.failed.load(std::memory_order_acquire) != 0)
                throw std::runtime_error(berth.why.data());
        if (berth.order == Order::Join && members_[member].pages == nullptr)
                take_note(member);
        return berth.sent_ns;
}

/// One member joins at a time, so the descriptors are its own.
void Flock::take_note(std::uint32_t member) {
        const auto fds = take_descriptors(from_members_.get());
        struct stat status {};
        if (::fstat(fds[0].get(), &status) < 0)
                fail("fstat");
        auto& pages = pages_[status.st_ino];
        if (!pages)
                pages = std::make_unique<Pages>(fds[0].get(), fds[1].get());
        members_[member].pages = pages.get();
        members_[member].slot = berths_[member].slot;
        members_[member].burnt_at_ns = now_ns();
        region(member);
}

std::int64_t Flock::kill(std::uint32_t member) {
        members_[member].pages = nullptr;
        const auto sent_ns = now_ns();
        if (::kill(members_[member].pid, SIGKILL) < 0)
                fail("kill");
        return sent_ns;
}

void Flock::replace(std::uint32_t member) {
        const auto pid = members_[member].pid;
        ::waitpid(pid, nullptr, 0);
        if (machine_)
                machine_->remove(pid);
        members_[member].pid = -1;
        start(member);
}

void Flock::join(std::uint32_t member, const Wishes& wishes) {
        order_join(member, wishes);
        (void)sent_ns(member);
}

void Flock::region(std::uint32_t member) {
        if (member < options_.busy && members_[member].pages != nullptr)
                members_[member].pages->begin_region(members_[member].slot);
}

void Flock::burn(std::uint32_t number) {
        auto& member = members_[number];
        const auto now = now_ns();
        const auto elapsed_us =
                static_cast<std::uint64_t>((now - member.burnt_at_ns) / kMicrosecond);
        member.burnt_at_ns = now;
        if (member.pages == nullptr || number >= options_.busy)
                return;
        member.burnt_us += elapsed_us * governor_word_threads(member.pages->word(member.slot));
        machine_->used(member.pid, member.burnt_us / kMicrosecondsPerTick);
}

/// Burns the time that is due in one millisecond, so that everybody's is written down once in
/// kBurn.
void Flock::burn_some() {
        const auto count = std::min<std::uint32_t>(size() / kBurn + 1, size());
        for (std::uint32_t i = 0; i < count; i++) {
                burn(next_to_burn_);
                next_to_burn_ = (next_to_burn_ + 1) % size();
        }
}

std::uint64_t Flock::granted() const {
        std::uint64_t sum = 0;
        for (const auto& member : members_)
                if (member.pages != nullptr)
                        sum += governor_word_threads(member.pages->word(member.slot));
        return sum;
}

void Flock::pass_time() {
        const auto ticks = (now_ns() - passed_at_ns_) / (kSecond / 100);
        if (ticks < 10)
                return;
        passed_at_ns_ += ticks * (kSecond / 100);
        std::uint64_t busy = 0;
        for (std::uint32_t member = 0; member < std::min(options_.busy, size()); member++)
                if (const auto& it = members_[member]; it.pages != nullptr)
                        busy += governor_word_threads(it.pages->word(it.slot));
        machine_->pass(static_cast<std::uint32_t>(std::min<std::uint64_t>(busy, options_.cpus)),
                       static_cast<std::uint64_t>(ticks));
}

void Flock::live(std::int64_t until_ns) {
        for (auto now = now_ns(); now < until_ns; now = now_ns()) {
                for (std::uint32_t member = 0; member < std::min(options_.busy, size()); member++)
                        region(member);
                if (machine_) {
                        burn_some();
                        pass_time();
                }
                std::this_thread::sleep_for(
                        std::chrono::nanoseconds(std::min(kMillisecond, until_ns - now)));
        }
}

}  // namespace bench
