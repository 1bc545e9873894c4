// SPDX-License-Identifier: MIT
// The door to files of proc and sys.
#include "probe/kept_file.hpp"

#include <cerrno>
#include <fcntl.h>
#include <unistd.h>

namespace governor::probe {

namespace {

constexpr std::size_t kFirstSize = std::size_t{64} * 1024;
constexpr std::size_t kLargestSize = std::size_t{16} * 1024 * 1024;

}  // namespace

KeptFile::~KeptFile() { close(); }

void KeptFile::close() {
        if (fd_ >= 0)
                ::close(fd_);
        fd_ = -1;
}

int KeptFile::read(std::string_view& ret_text) {
        if (fd_ < 0)
                // O_NONBLOCK: opening a FIFO must not stop a daemon.
                fd_ = ::open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
        if (fd_ < 0)
                return -errno;
        if (buffer_.empty())
                buffer_.resize(kFirstSize);
        // In one piece, unlike FileReader's: what is read in several would be of several moments.
        for (;;) {
                const auto n = ::pread(fd_, buffer_.data(), buffer_.size(), 0);
                if (n < 0 && errno == EINTR)
                        continue;
                if (n < 0) {
                        const int error = errno;
                        close();
                        return -error;
                }
                const auto size = static_cast<std::size_t>(n);
                if (size < buffer_.size()) {
                        ret_text = {buffer_.data(), size};
                        return 0;
                }
                if (buffer_.size() >= kLargestSize) {
                        close();
                        return -EFBIG;
                }
                buffer_.resize(buffer_.size() * 2);
        }
}

}  // namespace governor::probe
