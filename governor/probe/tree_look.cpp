// SPDX-License-Identifier: MIT
// From parents to children, by what the kernel tells of each thread.
#include "probe/tree_look.hpp"

#include "probe/pid_stat.hpp"

#include <charconv>
#include <dirent.h>
#include <memory>
#include <string_view>
#include <vector>

namespace governor::probe {

namespace {

std::vector<std::uint32_t> numbers_in(std::string_view text) {
        std::vector<std::uint32_t> numbers;
        const char* at = text.data();
        const char* const end = at + text.size();
        while (at < end) {
                std::uint32_t number = 0;
                const auto [next, error] = std::from_chars(at, end, number);
                if (error == std::errc{})
                        numbers.push_back(number);
                at = next == at ? at + 1 : next;
        }
        return numbers;
}

/// The first names of `folder` that are numbers, at most `most`.
std::vector<std::uint32_t> numbered(const std::string& folder, std::size_t most) {
        const std::unique_ptr<DIR, int (*)(DIR*)> directory(::opendir(folder.c_str()), ::closedir);
        std::vector<std::uint32_t> numbers;
        if (!directory)
                return numbers;
        while (numbers.size() < most) {
                const auto* entry = ::readdir(directory.get());
                if (entry == nullptr)
                        break;
                if (const auto found = numbers_in(entry->d_name); !found.empty())
                        numbers.push_back(found.front());
        }
        return numbers;
}

}  // namespace

std::optional<TreeReader::Look> TreeReader::read(std::uint32_t pid) {
        Look look;
        std::vector<std::uint32_t> processes{pid};
        std::size_t threads = 0;
        for (std::size_t i = 0; i < processes.size(); i++) {
                const auto folder = root_ + "/proc/" + std::to_string(processes[i]);
                std::string_view text;
                const auto error = files_.read_short(folder + "/stat", text);
                const auto process = error < 0 ? std::nullopt : parse_pid_stat(text);
                if (!process && i == 0)
                        return std::nullopt;
                if (!process)  // it has gone meanwhile
                        continue;
                look.ticks += process->own_ticks() + process->reaped_ticks;
                look.is_runnable = look.is_runnable || process->state == 'R';
                for (const auto thread : numbered(folder + "/task", kMostThreads + 1)) {
                        if (++threads > kMostThreads)
                                return std::nullopt;
                        const auto path = folder + "/task/" + std::to_string(thread) + "/children";
                        if (files_.read_short(path, text) < 0)
                                continue;
                        for (const auto child : numbers_in(text))
                                processes.push_back(child);
                        if (processes.size() > kMostProcesses)
                                return std::nullopt;
                }
        }
        return look;
}

}  // namespace governor::probe
