// SPDX-License-Identifier: MIT
// Files, drop-ins and the wording of errors.
#include "config/load.hpp"

#include "config/ini_file.hpp"
#include "config/keys.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <utility>

namespace governor::config {

namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t kLargestFile = std::uintmax_t{1} << 20;

std::string key_names() {
        std::string names;
        for (const auto& key : keys())
                names += (names.empty() ? "" : ", ") + std::string(key.name);
        return names;
}

/// Empty if all is well, else what is wrong with the assignment.
std::string apply_assignment(const Assignment& assignment, Settings& settings) {
        if (assignment.section != "governor")
                return assignment.section.empty()
                               ? "`" + assignment.key +
                                         "` stands before any section; put it below [governor]"
                               : "unknown section [" + assignment.section + "]; known: [governor]";
        const auto* key = find_key(assignment.key);
        if (key == nullptr)
                return "unknown key `" + assignment.key + "`; known: " + key_names();
        if (!key->set(settings, assignment.value))
                return "`" + assignment.key + " = " + assignment.value +
                       "` is not accepted; accepted: " + std::string(key->accepted);
        return {};
}

tl::expected<std::string, std::string> read_file(const std::string& path) {
        std::error_code error;
        if (const auto size = fs::file_size(path, error); !error && size > kLargestFile)
                return tl::unexpected(path + ": larger than 1 MiB");
        errno = 0;
        std::ifstream file(path, std::ios::binary);
        std::string text{std::istreambuf_iterator<char>(file), {}};
        if (!file.is_open() || file.bad())
                return tl::unexpected(
                        path + ": cannot be read: " + std::strerror(errno != 0 ? errno : EIO));
        return text;
}

std::vector<std::string> drop_ins(const std::string& directory) {
        std::vector<std::string> paths;
        std::error_code error;
        for (const auto& entry : fs::directory_iterator(directory, error))
                if (entry.path().extension() == ".conf")
                        paths.push_back(entry.path());
        std::ranges::sort(paths);
        return paths;
}

}  // namespace

void apply(std::string_view text, const std::string& file, Settings& settings, Errors& errors) {
        const auto ini = parse_ini(text);
        for (const auto& error : ini.errors)
                errors.push_back(file + ":" + std::to_string(error.line) + ": " + error.message);
        for (const auto& assignment : ini.assignments) {
                const auto where = file + ":" + std::to_string(assignment.line);
                if (const auto wrong = apply_assignment(assignment, settings); !wrong.empty())
                        errors.push_back(where + ": " + wrong);
                else
                        settings.origins[assignment.key] = where;
        }
}

tl::expected<Settings, Errors> load(const std::string& path, bool optional) {
        Settings settings;
        Errors errors;
        auto paths = drop_ins(path + ".d");
        if (!optional || fs::exists(path))
                paths.insert(paths.begin(), path);
        for (const auto& file : paths) {
                const auto text = read_file(file);
                if (text)
                        apply(*text, file, settings, errors);
                else
                        errors.push_back(text.error());
        }
        if (!errors.empty())
                return tl::unexpected(std::move(errors));
        return settings;
}

}  // namespace governor::config
