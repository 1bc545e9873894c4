// SPDX-License-Identifier: MIT
// Opening a file of sysfs costs more than all that is done with its text. As few as possible are
// therefore opened: a list that names a group's members is read once, not once for each of them.
#include "places.hpp"

#include "cpu_ranges.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <dirent.h>
#include <fcntl.h>
#include <memory>
#include <optional>
#include <string_view>
#include <unistd.h>

namespace threadcount::pool {

namespace {

/// Every second one of 8192 CPUs, the most that kernels are built for, takes 20 KiB.
constexpr std::size_t kLongestText = std::size_t{32} * 1024;
constexpr unsigned kMostCaches = 16;  // of one CPU

std::optional<std::uint32_t> parse_number(std::string_view text) {
        std::uint32_t number = 0;
        const auto* const end = text.data() + text.size();
        const auto [parsed, error] = std::from_chars(text.data(), end, number);
        return error == std::errc{} && parsed == end ? std::optional(number) : std::nullopt;
}

/// Reads up to the line end, which spares the call that would return 0; long lists come page by
/// page. The number of bytes, 0 if that is not all of it.
std::size_t read_line(int fd, std::span<char> buffer) {
        std::size_t size = 0;
        while (size < buffer.size()) {
                const auto n = ::read(fd, buffer.data() + size, buffer.size() - size);
                if (n < 0 && errno == EINTR)
                        continue;
                if (n < 0)
                        return 0;
                size += static_cast<std::size_t>(n);
                if (n == 0 || buffer[size - 1] == '\n')
                        return size;
        }
        return 0;
}

class Files {
public:
        /// The text of the file; empty if there is none. Valid until the next.
        std::string_view read(const std::string& path) {
                // A FIFO in its place must not block.
                const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
                if (fd < 0)
                        return {};
                const auto size = read_line(fd, {buffer_.get(), kLongestText});
                ::close(fd);
                return {buffer_.get(), size};
        }

private:
        std::unique_ptr<char[]> buffer_ = std::make_unique_for_overwrite<char[]>(kLongestText);
};

class PlaceReader {
public:
        PlaceReader(const std::string& root, std::span<const int> cpus)
                : system_(root + "/sys/devices/system/"), cpus_(cpus), places_(cpus.size()) {}

        std::vector<Place> read() {
                for (std::size_t lane = 0; lane < cpus_.size(); lane++)
                        read_cpu(lane);
                read_nodes();
                for (std::size_t lane = 0; lane < cpus_.size(); lane++)
                        for (auto* const group : {&places_[lane].core, &places_[lane].l2})
                                if (*group == kUnknownGroup)
                                        *group = number(lane);
                return std::move(places_);
        }

private:
        using Group = std::uint32_t Place::*;

        [[nodiscard]] std::uint32_t number(std::size_t lane) const {
                return static_cast<std::uint32_t>(cpus_[lane]);
        }

        void read_cpu(std::size_t lane) {
                const auto& place = places_[lane];
                const auto cpu = system_ + "cpu/cpu" + std::to_string(cpus_[lane]);
                // The second name is that of kernels before 5.7.
                if (place.core == kUnknownGroup &&
                    !read_group(lane, &Place::core, cpu + "/topology/core_cpus_list"))
                        read_group(lane, &Place::core, cpu + "/topology/thread_siblings_list");
                if (place.package == kUnknownGroup &&
                    !read_group(lane, &Place::package, cpu + "/topology/package_cpus_list"))
                        read_group(lane, &Place::package, cpu + "/topology/core_siblings_list");
                // CPUs that share a second level also share the third, or the lack of it.
                if (place.l2 != kUnknownGroup)
                        return;
                read_cache(lane, &Place::l2, cpu, 2);
                if (place.l3 == kUnknownGroup)
                        read_cache(lane, &Place::l3, cpu, 3);
        }

        /// The type is not asked for: where instructions have a second level of their own, it is
        /// shared by the same CPUs as that of the data.
        void read_cache(std::size_t lane, Group group, const std::string& cpu, unsigned level) {
                if (const auto index = find_cache(cpu, level))
                        read_group(lane, group, cache(cpu, *index) + "shared_cpu_list");
        }

        std::optional<unsigned> find_cache(const std::string& cpu, unsigned level) {
                // Most CPUs have theirs where the one before had it.
                auto& last = last_index_[level];
                if (level_of(cpu, last) == level)
                        return last;
                for (unsigned index = 0; index < kMostCaches; index++) {
                        const auto found = level_of(cpu, index);
                        if (!found)
                                break;
                        if (*found == level)
                                return last = index;
                }
                return std::nullopt;
        }

        std::optional<std::uint32_t> level_of(const std::string& cpu, unsigned index) {
                auto text = files_.read(cache(cpu, index) + "level");
                if (text.ends_with('\n'))
                        text.remove_suffix(1);
                return parse_number(text);
        }

        static std::string cache(const std::string& cpu, unsigned index) {
                return cpu + "/cache/index" + std::to_string(index) + '/';
        }

        void read_nodes() {
                constexpr std::string_view kPrefix = "node";
                const std::unique_ptr<DIR, int (*)(DIR*)> nodes(
                        ::opendir((system_ + "node").c_str()), &::closedir);
                const dirent* entry = nullptr;
                while (nodes && (entry = ::readdir(nodes.get())) != nullptr) {
                        const std::string_view name = entry->d_name;
                        if (!name.starts_with(kPrefix) ||
                            !parse_number(name.substr(kPrefix.size())))
                                continue;
                        const auto list = system_ + "node/" + entry->d_name + "/cpulist";
                        assign(&Place::node, parse_cpu_ranges(files_.read(list)));
                }
        }

        /// False if the list at `path` says nothing about the CPU that it belongs to.
        bool read_group(std::size_t lane, Group group, const std::string& path) {
                const auto sharers = parse_cpu_ranges(files_.read(path));
                if (!contains(sharers, number(lane)))
                        return false;
                assign(group, sharers);
                return true;
        }

        void assign(Group group, const std::vector<CpuRange>& sharers) {
                for (const auto& [first, last] : sharers) {
                        auto cpu = std::ranges::lower_bound(cpus_, static_cast<int>(first));
                        for (; cpu != cpus_.end() && *cpu <= static_cast<int>(last); cpu++) {
                                auto& place =
                                        places_[static_cast<std::size_t>(cpu - cpus_.begin())];
                                if (place.*group == kUnknownGroup)
                                        place.*group = sharers.front().first;
                        }
                }
        }

        const std::string system_;
        const std::span<const int> cpus_;
        std::vector<Place> places_;
        Files files_;
        /// By level. The index is the level where only the first level is split.
        std::array<unsigned, 4> last_index_ = {0, 1, 2, 3};
};

}  // namespace

std::vector<Place> read_places(const std::string& root, std::span<const int> cpus) {
        return PlaceReader(root, cpus).read();
}

}  // namespace threadcount::pool
