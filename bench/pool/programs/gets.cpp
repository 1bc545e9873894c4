// SPDX-License-Identifier: MIT
//
// GET requests per second of a small key-value server whose work a pool does, asked by
// redis-benchmark over loopback.
#include <algorithm>
#include <cerrno>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <functional>
#include <memory>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <span>
#include <spawn.h>
#include <stdexcept>
#include <string>
#include <string_view>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <system_error>
#include <threadcount/pool.hpp>
#include <unistd.h>
#include <unordered_map>
#include <utility>
#include <vector>

#include "list_pool.hpp"
#include "pools/arguments.hpp"
#include "pools/clocks.hpp"
#include "pools/condition_pool.hpp"
#include "pools/cpus.hpp"
#include "program.hpp"

extern char** environ;

namespace pool {
namespace {

struct Options {
        std::string pool = "ours";
        std::uint64_t workers = 2;
        std::uint64_t clients = 64;
        std::uint64_t requests = 100'000;
        std::uint64_t bytes = 512;
        bool help = false;
};

constexpr const char* kHelp = R"(gets - GET requests per second of a small key-value server

A server on loopback reads requests, and a pool looks the values up and answers. The client is
redis-benchmark (package redis-tools), with one request under way for each of its connections.

  --pool POOL       ours, lists, mutex (default ours)
  --workers N       1 to 4096 (default 2); ours has one for each CPU at most
  --clients N       1 to 1000 (default 64)
  --requests N      1 to 10^8 (default 10^5)
  --bytes N         of a value, 1 to 10^6 (default 512)
  --help

It prints one JSON object. Exit status: 0; 1 if it could not be done; 2 for bad options.
)";

std::string parse(std::span<char* const> arguments, Options& options) {
        examples::Arguments table;

        table.word("--pool", options.pool, {"ours", "lists", "mutex"});
        table.number("--workers", options.workers, 1, 4096);
        table.number("--clients", options.clients, 1, 1000);
        table.number("--requests", options.requests, 1, 100'000'000);
        table.number("--bytes", options.bytes, 1, 1'000'000);
        table.flag("--help", options.help);
        return table.parse(arguments);
}

[[noreturn]] void fail(const char* what) {
        throw std::system_error(errno, std::generic_category(), what);
}

class Descriptor {
public:
        Descriptor(int number, const char* what) : number_(number) {
                if (number < 0)
                        fail(what);
        }
        Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
        Descriptor& operator=(Descriptor&&) = delete;
        Descriptor(const Descriptor&) = delete;
        Descriptor& operator=(const Descriptor&) = delete;
        ~Descriptor() { close(); }

        [[nodiscard]] int number() const { return number_; }
        void close() {
                if (number_ >= 0)
                        ::close(std::exchange(number_, -1));
        }

private:
        int number_;
};

/// The words of a request: `*COUNT`, and each word as `$LENGTH` and a line. Takes it out of `text`;
/// empty: it is not whole yet. Throws std::runtime_error if it is none.
std::vector<std::string> take_request(std::string& text) {
        std::size_t at = 0;
        const auto take_number = [&](char kind) -> long {
                const auto end = text.find("\r\n", at);
                if (end == std::string::npos)
                        return -1;
                if (text[at] != kind)
                        throw std::runtime_error("the client sent no request of this protocol");
                const auto number = std::strtol(text.c_str() + at + 1, nullptr, 10);
                at = end + 2;
                return number;
        };
        std::vector<std::string> words;
        const auto count = take_number('*');
        for (long i = 0; i < count; i++) {
                const auto length = take_number('$');
                const auto bytes = static_cast<std::size_t>(length);
                if (length < 0 || text.size() < at + bytes + 2)
                        return {};
                words.push_back(text.substr(at, bytes));
                at += bytes + 2;
        }
        if (!words.empty())
                text.erase(0, at);
        return words;
}

/// One thread reads; what it reads is done by a pool, of which a thread looks up and answers.
class Server {
public:
        explicit Server(std::size_t bytes)
                : listener_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), "socket"),
                  events_(epoll_create1(EPOLL_CLOEXEC), "epoll_create1") {
                for (int key = 0; key < kKeys; key++) {
                        char name[32];
                        (void)std::snprintf(name, sizeof name, "key:%012d", key);
                        values_.emplace(name, std::string(bytes, 'v'));
                }
                sockaddr_in address{};
                address.sin_family = AF_INET;
                address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
                socklen_t size = sizeof address;
                auto* const generic = reinterpret_cast<sockaddr*>(&address);
                if (bind(listener_.number(), generic, size) != 0 ||
                    listen(listener_.number(), SOMAXCONN) != 0 ||
                    getsockname(listener_.number(), generic, &size) != 0)
                        fail("a socket on loopback");
                port_ = ntohs(address.sin_port);
                watch(listener_.number());
        }

        static constexpr int kKeys = 1000;
        [[nodiscard]] int port() const { return port_; }

        /// Waits until `process` ends. Tasks that are submitted refer to this.
        void serve(int process, const Submit& submit) {
                watch(process);
                for (;;) {
                        epoll_event events[64];
                        const int count = epoll_wait(events_.number(), events, 64, -1);
                        if (count < 0 && errno != EINTR)
                                fail("epoll_wait");
                        for (int i = 0; i < count; i++) {
                                if (events[i].data.fd == process)
                                        return;
                                if (events[i].data.fd == listener_.number())
                                        accept_one();
                                else
                                        read_from(events[i].data.fd, submit);
                        }
                }
        }

private:
        void watch(int descriptor) {
                epoll_event event{};
                event.events = EPOLLIN;
                event.data.fd = descriptor;
                if (epoll_ctl(events_.number(), EPOLL_CTL_ADD, descriptor, &event) != 0)
                        fail("epoll_ctl");
        }
        void accept_one() {
                const int client = accept4(listener_.number(), nullptr, nullptr, SOCK_CLOEXEC);
                if (client < 0)
                        return;
                const int one = 1;
                (void)setsockopt(client, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
                texts_.emplace(client, std::make_pair(Descriptor(client, "accept"), std::string()));
                watch(client);
        }
        void read_from(int client, const Submit& submit) {
                char bytes[4096];
                const auto size = ::read(client, bytes, sizeof bytes);
                auto& text = texts_.at(client).second;
                if (size <= 0) {
                        texts_.erase(client);
                        return;
                }
                text.append(bytes, static_cast<std::size_t>(size));
                for (auto words = take_request(text); !words.empty(); words = take_request(text))
                        submit([this, client, words] { answer(client, words); });
        }
        void answer(int client, const std::vector<std::string>& words) const {
                const auto word = [](const std::string& text) {
                        return "$" + std::to_string(text.size()) + "\r\n" + text + "\r\n";
                };
                std::string reply = "-ERR only GET is known here\r\n";
                if (words.size() == 2 && words[0] == "GET") {
                        const auto found = values_.find(words[1]);
                        reply = found != values_.end() ? word(found->second) : "$-1\r\n";
                } else if (words.size() == 3 && words[0] == "CONFIG") {
                        // The client asks what it is compared with.
                        reply = "*2\r\n" + word(words[2]) + word("");
                }
                // The client has one request under way: its buffer has room.
                (void)send(client, reply.data(), reply.size(), MSG_NOSIGNAL);
        }

        Descriptor listener_;
        Descriptor events_;
        int port_ = 0;
        std::unordered_map<std::string, std::string> values_;  // nobody writes
        std::unordered_map<int, std::pair<Descriptor, std::string>> texts_;
};

/// A client that runs, and what it prints.
class Client {
public:
        Client(const Options& options, int port) {
                int ends[2];
                if (pipe2(ends, O_CLOEXEC) != 0)
                        fail("pipe2");
                output_ = std::make_unique<Descriptor>(ends[0], "pipe2");
                Descriptor input(ends[1], "pipe2");
                std::vector<std::string> words{"redis-benchmark",
                                               "-h",
                                               "127.0.0.1",
                                               "-p",
                                               std::to_string(port),
                                               "-t",
                                               "get",
                                               "-n",
                                               std::to_string(options.requests),
                                               "-c",
                                               std::to_string(options.clients),
                                               "-r",
                                               std::to_string(Server::kKeys),
                                               "--csv"};
                std::vector<char*> pointers;
                for (auto& word : words)
                        pointers.push_back(word.data());
                pointers.push_back(nullptr);
                posix_spawn_file_actions_t actions;
                posix_spawn_file_actions_init(&actions);
                posix_spawn_file_actions_adddup2(&actions, input.number(), STDOUT_FILENO);
                errno = posix_spawnp(&pid_, pointers[0], &actions, nullptr, pointers.data(),
                                     environ);
                posix_spawn_file_actions_destroy(&actions);
                if (errno != 0)
                        fail("redis-benchmark (package redis-tools)");
                process_ = std::make_unique<Descriptor>(
                        static_cast<int>(syscall(SYS_pidfd_open, pid_, 0)), "pidfd_open");
        }

        [[nodiscard]] int process() const { return process_->number(); }

        /// The row of GET: requests per second, and milliseconds.
        struct Figures {
                double per_s = 0, mean_ms = 0, least_ms = 0, p50_ms = 0, p95_ms = 0, p99_ms = 0;
        };
        /// Waits for its end. Throws std::runtime_error if it told none.
        [[nodiscard]] Figures figures() {
                int status = 0;
                (void)waitpid(pid_, &status, 0);
                std::string text;
                char bytes[4096];
                for (ssize_t size; (size = ::read(output_->number(), bytes, sizeof bytes)) > 0;)
                        text.append(bytes, static_cast<std::size_t>(size));
                Figures its;
                const auto at = text.find("\"GET\"");
                if (status != 0 || at == std::string::npos ||
                    std::sscanf(text.c_str() + at, R"("GET","%lf","%lf","%lf","%lf","%lf","%lf")",
                                &its.per_s, &its.mean_ms, &its.least_ms, &its.p50_ms, &its.p95_ms,
                                &its.p99_ms) != 6)
                        throw std::runtime_error("redis-benchmark told no figures: " + text);
                return its;
        }

private:
        pid_t pid_ = 0;
        std::unique_ptr<Descriptor> output_;
        std::unique_ptr<Descriptor> process_;
};

void measure(const Options& options, Server& server, const Submit& submit) {
        Client client(options, server.port());
        const examples::Stopwatch stopwatch;

        server.serve(client.process(), submit);
        const auto cores = stopwatch.cpu_ms() / stopwatch.elapsed_ms();
        const auto its = client.figures();
        std::printf("{\"pool\":\"%s\",\"gets_per_s\":%.0f,\"p50_ms\":%.3f,\"p99_ms\":%.3f,"
                    "\"cores\":%.3f}\n",
                    options.pool.c_str(), its.per_s, its.p50_ms, its.p99_ms, cores);
}

template <class Pool, class... Arguments>
void measure_with(const Options& options, const Arguments&... arguments) {
        Server server(options.bytes);  // outlives the pool and its tasks
        Pool pool(arguments...);

        measure(options, server,
                [&pool](std::function<void()> task) { pool.submit(std::move(task)); });
}

void run(const Options& options) {
        if (options.pool == "lists") {
                measure_with<ListPool>(options, ListPoolOptions{.workers = options.workers,
                                                                .slow = std::min<std::size_t>(
                                                                        options.workers, 100),
                                                                .stages = Stages::Learned});
        } else if (options.pool == "mutex") {
                measure_with<examples::ConditionPool>(options, options.workers);
        } else {
                measure_with<threadcount::Pool>(
                        options, threadcount::PoolOptions{
                                         .cpus = examples::cpus_cores_first(options.workers)});
        }
}

}  // namespace
}  // namespace pool

int main(int argc, char** argv) {
        return pool::run_program<pool::Options>("gets", argc, argv, pool::kHelp, pool::parse,
                                                pool::run);
}
