// SPDX-License-Identifier: MIT
// Files of /sys/fs/cgroup, wherever that is.
#include "outside/groups.hpp"

#include "probe/cgroup_files.hpp"
#include "probe/file_reader.hpp"
#include "probe/text.hpp"

#include <algorithm>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace ctl::outside {

namespace {

/// A file, and what it says where nothing has been set.
struct Limit {
        const char* file;
        std::string_view unset;
};
constexpr Limit kLimits[] = {{"memory.max", "max"},      {"memory.high", "max"},
                             {"memory.swap.max", "max"}, {"cpu.max", "max 100000"},
                             {"cpu.weight", "100"},      {"cpu.idle", "0"},
                             {"cpuset.cpus", ""}};

}  // namespace

Groups::Groups(const std::string& root) {
        governor::probe::FileReader files;
        std::string_view text;
        if (files.read(root + "/proc/self/mountinfo", text) < 0)
                return;
        for (const auto& mount : governor::probe::parse_cgroup_mounts(text))
                if (mount.is_v2() && mount.root == "/")
                        mount_ = root + mount.directory;
}

std::optional<std::string> Groups::line(const std::string& group, const char* file) const {
        governor::probe::FileReader files;
        std::string_view text;
        if (mount_.empty() || files.read(mount_ + group + "/" + file, text) < 0)
                return std::nullopt;
        return std::string(governor::probe::take_until(text, '\n'));
}

std::string Groups::of(const HeldProcess& process) const {
        const auto text = process.read("cgroup");
        for (const auto& membership : governor::probe::parse_cgroup_memberships(text.value_or("")))
                if (membership.controllers.empty())
                        return membership.path;
        return {};
}

std::string Groups::refuse_limits(const std::string& group) const {
        for (const auto& limit : kLimits)
                if (const auto set = line(group, limit.file); set && *set != limit.unset)
                        return std::string(limit.file) + " of its control group is set";
        return {};
}

std::string Groups::refuse_to_leave(const std::string& group, uid_t user) const {
        const auto own = "/user.slice/user-" + std::to_string(user) + ".slice";
        if (mount_.empty())
                return "there are no control groups of version 2";
        if (!group.starts_with(own + "/"))
                return "its control group is no session of this user";
        for (const auto& above : governor::probe::ancestry(group)) {
                if (above == own)
                        break;
                if (auto why_not = refuse_limits(above); !why_not.empty())
                        return why_not;
        }
        return {};
}

bool Groups::exists(const std::string& group) const {
        return !mount_.empty() && ::access((mount_ + group).c_str(), F_OK) == 0;
}

bool Groups::hands_out_cpu(const std::string& group) const {
        auto controllers = line(group, "cgroup.controllers").value_or("");
        std::ranges::replace(controllers, ' ', ',');
        return governor::probe::list_contains(controllers, "cpu");
}

std::optional<bool> Groups::is_idle(const std::string& group) const {
        const auto idle = line(group, "cpu.idle");
        return idle ? std::optional(*idle == "1") : std::nullopt;
}

void Groups::end_idle(const std::string& group) const {
        const int fd =
                ::open((mount_ + group + "/cpu.idle").c_str(), O_WRONLY | O_CLOEXEC | O_NOFOLLOW);
        struct stat about {};
        if (fd >= 0 && ::fstat(fd, &about) == 0 && about.st_uid == ::geteuid())
                (void)!::write(fd, "0", 1);
        if (fd >= 0)
                ::close(fd);
}

}  // namespace ctl::outside
