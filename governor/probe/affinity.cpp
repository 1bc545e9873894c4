// SPDX-License-Identifier: MIT
// /proc/PID/task and the mask of each thread in it.
#include "probe/affinity.hpp"

#include "probe/pid_status.hpp"
#include "probe/text.hpp"

#include <array>
#include <cerrno>
#include <dirent.h>
#include <memory>
#include <optional>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace governor::probe {

namespace {

constexpr std::size_t kBits = 8 * sizeof(unsigned long);
using Words = std::array<unsigned long, policy::kCpuNumberLimit / kBits>;

/// The system call rather than the C library's: it says how long the kernel's masks are, and only
/// so much is looked at.
bool add_mask_of(std::uint32_t thread, Words& cpus, std::size_t& words) {
        Words mask;
        const auto bytes = ::syscall(SYS_sched_getaffinity, thread, sizeof(mask), mask.data());
        if (bytes < 0)
                return false;
        words = static_cast<std::size_t>(bytes) / sizeof(unsigned long);
        for (std::size_t i = 0; i < words; i++)
                cpus[i] |= mask[i];
        return true;
}

policy::CpuMask to_mask(const Words& words, std::size_t count) {
        policy::CpuMask mask;
        for (std::size_t i = 0; i < count; i++)
                for (auto word = words[i]; word != 0; word &= word - 1)
                        mask.add(static_cast<std::uint32_t>(i * kBits) +
                                 static_cast<std::uint32_t>(std::countr_zero(word)));
        return mask;
}

}  // namespace

/// /proc/PID/task has a link for each thread beside the two that every directory has (proc(5)); a
/// first thread that has ended counts as long as there are others.
std::uint32_t count_threads(std::uint32_t pid) {
        constexpr nlink_t kOwnLinks = 2;
        struct stat about {};
        const auto tasks = "/proc/" + std::to_string(pid) + "/task";
        const bool is_there = ::stat(tasks.c_str(), &about) == 0 && about.st_nlink > kOwnLinks;
        return is_there ? static_cast<std::uint32_t>(about.st_nlink - kOwnLinks) : 0;
}

int Affinity::read(std::uint32_t pid, policy::CpuMask& ret_cpus, std::uint32_t& ret_threads) {
        const auto directory = root_ + "/proc/" + std::to_string(pid) + "/task";
        Words words{};
        std::size_t used = 0;
        ret_threads = root_.empty() ? count_threads(pid) : 0;
        if (ret_threads == 1) {
                if (!add_mask_of(pid, words, used))
                        return -ESRCH;
                ret_cpus = to_mask(words, used);
                return 0;
        }
        const std::unique_ptr<DIR, int (*)(DIR*)> tasks(::opendir(directory.c_str()), ::closedir);
        if (!tasks)
                return errno == ENOENT ? -ESRCH : -errno;
        policy::CpuMask cpus;
        bool any = false;
        for (std::uint32_t left = kMostThreads; left > 0;) {
                const auto* entry = ::readdir(tasks.get());
                if (entry == nullptr)
                        break;
                const auto thread = parse_number<std::uint32_t>(entry->d_name);
                std::string_view text;
                if (!thread)
                        continue;
                left--;
                if (root_.empty()) {
                        any |= add_mask_of(*thread, words, used);
                } else if (files_.read_short(directory + "/" + entry->d_name + "/status", text) ==
                           0) {
                        const auto mask = parse_allowed_cpus(text);
                        any |= mask.has_value();
                        cpus |= mask.value_or(policy::CpuMask{});
                }
        }
        if (!any)
                return -ESRCH;
        ret_cpus = cpus | to_mask(words, used);
        return 0;
}

}  // namespace governor::probe
