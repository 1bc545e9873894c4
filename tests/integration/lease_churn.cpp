// SPDX-License-Identifier: MIT
// Programs that say hello and bye as fast as they can and keep all that they were ever sent mapped:
// the daemon gives out the same memory again, and does not grow.
//
//      lease_churn [SECONDS]
//
// Exits 0, or 1 and says what is wrong.
#include "support/daemon.hpp"
#include "support/lease_client.hpp"

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sys/mman.h>
#include <unistd.h>

namespace {

using namespace test_support;
using Clock = std::chrono::steady_clock;

/// The cycles of one program; it keeps two mappings of each, and the kernel allows 65530.
constexpr int kCycles = 10'000;
constexpr std::chrono::seconds kRound{1};

#ifdef GOVERNOR_SANITIZED
constexpr std::size_t kMayGrow = 400U << 20U;  // freed memory is kept back: 256 MiB, and around it
#else
constexpr std::size_t kMayGrow = 1U << 20U;
#endif

struct Size {
        std::size_t resident = 0;  // bytes
        std::size_t memories = 0;  // memfds
};

Size size_of(pid_t pid) {
        const auto proc = std::filesystem::path("/proc") / std::to_string(pid);
        Size size;
        std::size_t pages = 0;
        std::ifstream(proc / "statm") >> pages >> pages;
        size.resident = pages * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
        for (const auto& entry : std::filesystem::directory_iterator(proc / "fd")) {
                std::error_code gone;
                const auto target = std::filesystem::read_symlink(entry, gone).string();
                size.memories += target.starts_with("/memfd:") ? 1 : 0;
        }
        return size;
}

/// Maps both, for ever; the descriptors are not needed for that.
void keep(const LeaseMemory& memory) {
        const auto map = [](int fd, std::size_t size) {
                if (::mmap(nullptr, size, PROT_READ, MAP_SHARED, fd, 0) == MAP_FAILED)
                        throw std::runtime_error("mmap");
        };
        map(memory.grants_fd(), memory.header().size);
        map(memory.reports_fd(), memory.header().report_size);
}

/// Tells by `done` how many cycles it did, and stays with its mappings.
void come_and_go(const std::string& socket, Clock::time_point end, int done) {
        LeaseClient client(socket);
        int cycles = 0;
        for (; cycles < kCycles && Clock::now() < end; cycles++) {
                const auto* memory = client.hello();
                if (memory == nullptr)
                        throw std::runtime_error(client.last().error().message());
                keep(*memory);
                const auto reply = client.bye();
                if (!reply || !reply->has_done())
                        throw std::runtime_error("bye");
        }
        if (::write(done, &cycles, sizeof(cycles)) != sizeof(cycles))
                throw std::runtime_error("write");
        for (;;)
                ::pause();
}

/// One program after the other, all of which stay. Returns the cycles, or -1.
long churn(const std::string& socket, Clock::time_point end,
           std::vector<std::unique_ptr<ForkedProgram>>& kept) {
        long sum = 0;
        do {
                int done[2];
                if (::pipe(done) < 0)
                        return -1;
                kept.push_back(std::make_unique<ForkedProgram>([&] {
                        ::close(done[0]);
                        come_and_go(socket, end, done[1]);
                }));
                ::close(done[1]);
                int cycles = 0;
                const auto n = ::read(done[0], &cycles, sizeof(cycles));
                ::close(done[0]);
                sum = n == sizeof(cycles) && cycles > 0 ? sum + cycles : -1;
        } while (sum >= 0 && Clock::now() < end);
        return sum;
}

[[nodiscard]] bool fails(const std::string& what) {
        std::fprintf(stderr, "%s\n", what.c_str());
        return false;
}

[[nodiscard]] bool run_for(std::chrono::seconds duration) {
        Daemon daemon("", "[governor]\npolicy = fair\n");
        daemon.start();
        std::vector<std::unique_ptr<ForkedProgram>> kept;
        // Everything that is filled once, such as the history, is filled: that takes hellos, not
        // time.
        for (long filling = 0; filling < kCycles;) {
                const auto cycles = churn(daemon.socket(), Clock::now() + kRound, kept);
                if (cycles < 0)
                        return fails("a program was refused: " + daemon.process().err());
                filling += cycles;
        }
        const auto before = size_of(daemon.process().pid());
        const auto cycles = churn(daemon.socket(), Clock::now() + duration, kept);
        const auto after = size_of(daemon.process().pid());
        if (cycles < 0)
                return fails("a program was refused: " + daemon.process().err());
        std::printf("%ld hellos by %zu programs: %zu KiB and %zu memfds, before %zu KiB and %zu\n",
                    cycles, kept.size(), after.resident / 1024, after.memories,
                    before.resident / 1024, before.memories);
        if (status(daemon.socket()).clients() != 0)
                return fails("a lease outlived its bye");
        if (before.memories != 2 || after.memories != before.memories)
                return fails("the daemon has made memory that it had already");
        return after.resident <= before.resident + kMayGrow || fails("the daemon has grown");
}

}  // namespace

int main(int argc, char** argv) {
        const auto seconds = argc > 1 ? std::strtol(argv[1], nullptr, 10) : 3;
        try {
                return run_for(std::chrono::seconds{seconds}) ? 0 : 1;
        } catch (const std::exception& error) {
                std::fprintf(stderr, "%s\n", error.what());
                return 1;
        }
}
