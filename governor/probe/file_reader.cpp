// SPDX-License-Identifier: MIT
// open, read, close.
#include "probe/file_reader.hpp"

#include <cerrno>
#include <cstddef>
#include <fcntl.h>
#include <unistd.h>

namespace governor::probe {

namespace {

constexpr std::size_t kFirstBuffer = std::size_t{16} * 1024;
constexpr std::size_t kLargestBuffer = std::size_t{16} * 1024 * 1024;

/// `is_one_piece`: what does not fill the buffer is all there is. The number of bytes, or a
/// negative errno.
ssize_t read_all(int fd, bool is_one_piece, std::vector<char>& buffer) {
        std::size_t size = 0;
        for (;;) {
                if (size == buffer.size()) {
                        if (buffer.size() >= kLargestBuffer)
                                return -EFBIG;
                        buffer.resize(buffer.size() * 2);
                }
                const auto n = ::read(fd, buffer.data() + size, buffer.size() - size);
                if (n < 0 && errno == EINTR)
                        continue;
                if (n < 0)
                        return -errno;
                size += static_cast<std::size_t>(n);
                if (n == 0 || (is_one_piece && size < buffer.size()))
                        return static_cast<ssize_t>(size);
        }
}

}  // namespace

int FileReader::read(const std::string& path, std::string_view& ret_text) {
        return read(path, false, ret_text);
}

int FileReader::read_short(const std::string& path, std::string_view& ret_text) {
        return read(path, true, ret_text);
}

int FileReader::read(const std::string& path, bool is_one_piece, std::string_view& ret_text) {
        const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
        if (fd < 0)
                return -errno;
        if (buffer_.empty())
                buffer_.resize(kFirstBuffer);
        const auto size = read_all(fd, is_one_piece, buffer_);
        ::close(fd);
        if (size < 0)
                return static_cast<int>(size);
        ret_text = {buffer_.data(), static_cast<std::size_t>(size)};
        return 0;
}

}  // namespace governor::probe
