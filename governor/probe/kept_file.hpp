// SPDX-License-Identifier: MIT
//
// A small file of proc or sys that is read again and again through one descriptor.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace governor::probe {

/// Not thread-safe. Closes its descriptor when it goes.
class KeptFile {
public:
        explicit KeptFile(std::string path) : path_(std::move(path)) {}
        ~KeptFile();
        KeptFile(const KeptFile&) = delete;
        KeptFile& operator=(const KeptFile&) = delete;

        /// Reads the whole file from its start: one pread, more only when it has outgrown the
        /// buffer. Returns 0 or a negative errno; on failure the next read opens the file anew.
        [[nodiscard]] int read(std::string_view& ret_text);

        /// The next read opens the file anew.
        void close();

        [[nodiscard]] const std::string& path() const { return path_; }

private:
        std::string path_;
        int fd_ = -1;
        std::vector<char> buffer_;
};

}  // namespace governor::probe
