// SPDX-License-Identifier: MIT
// Arithmetic with and without a chain, and memory that all jobs share.
#include "work.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <new>
#include <random>
#include <span>
#include <stdexcept>
#include <string>

namespace examples::jobs {
namespace {

constexpr std::uint64_t kOddA = 0x9E3779B97F4A7C15;
constexpr std::uint64_t kOddB = 0xD1342543DE82EF95;
constexpr std::uint64_t kOddC = 0xAF251AF3B0F025B5;

/// The compiler must not compute the loop at once.
template <class T>
void keep(T& value) {
        asm volatile("" : "+r"(value));
}

class Calc final : public Work {
public:
        explicit Calc(std::uint64_t steps) : steps_(steps) {}

        [[nodiscard]] std::uint64_t run(std::uint64_t input) const override {
                const auto steps = 1 + input % steps_;
                std::uint64_t a = input;
                std::uint64_t b = 1;
                std::uint64_t c = 2;

                for (std::uint64_t i = 0; i < steps; ++i) {
                        a = a * kOddA + 1;
                        b = b * kOddB + 3;
                        c = c * kOddC + 5;
                        keep(a);
                        keep(b);
                        keep(c);
                }
                return a ^ b ^ c;
        }

private:
        std::uint64_t steps_;
};

class Serial final : public Work {
public:
        explicit Serial(std::uint64_t steps) : steps_(steps) {}

        [[nodiscard]] std::uint64_t run(std::uint64_t input) const override {
                const auto steps = 1 + input % steps_;
                std::uint64_t a = input;
                std::uint64_t b = 1;
                std::uint64_t c = 2;

                for (std::uint64_t i = 0; i < steps; ++i) {
                        a = (c ^ a) * kOddA;
                        b = (a ^ b) * kOddB;
                        c = (b ^ c) * kOddC;
                        keep(c);
                }
                return a ^ b ^ c;
        }

private:
        std::uint64_t steps_;
};

class File {
public:
        explicit File(int descriptor) : descriptor_(descriptor) {}
        ~File() {
                if (descriptor_ >= 0)
                        close(descriptor_);
        }
        File(const File&) = delete;
        File& operator=(const File&) = delete;
        [[nodiscard]] int get() const { return descriptor_; }

private:
        int descriptor_;
};

[[noreturn]] void refuse(const std::string& what, int error) {
        throw std::runtime_error(what + ": " + std::strerror(error));
}

/// Words that many processes could share.
class Mapping {
public:
        Mapping(const std::string& path, std::uint64_t words) : bytes_(words * sizeof(Word)) {
                path.empty() ? make_up() : map_file(path, words);
        }
        ~Mapping() { munmap(base_, bytes_); }
        Mapping(const Mapping&) = delete;
        Mapping& operator=(const Mapping&) = delete;

        using Word = std::int64_t;
        [[nodiscard]] std::span<const Word> words() const {
                return {static_cast<const Word*>(base_), bytes_ / sizeof(Word)};
        }

private:
        void map_file(const std::string& path, std::uint64_t words) {
                const File file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
                struct stat status {};

                if (file.get() < 0 || fstat(file.get(), &status) != 0)
                        refuse("-F " + path, errno);
                if (!S_ISREG(status.st_mode))
                        throw std::runtime_error("-F " + path + ": not a regular file");
                if (static_cast<std::uint64_t>(status.st_size) < bytes_)
                        throw std::runtime_error(
                                "-F " + path + ": it has " +
                                std::to_string(static_cast<std::uint64_t>(status.st_size) /
                                               sizeof(Word)) +
                                " words of 8 bytes, -N asks for " + std::to_string(words));
                map(PROT_READ, MAP_SHARED | MAP_POPULATE, file.get(), "-F " + path);
        }

        void make_up() {
                std::mt19937_64 random(1);  // NOLINT(*-msc51-cpp): the same in each run

                map(PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, "-N");
                auto* words = static_cast<Word*>(base_);
                for (std::size_t i = 0; i < bytes_ / sizeof(Word); ++i)
                        words[i] = static_cast<Word>(random());
        }

        void map(int protection, int flags, int file, const std::string& what) {
                base_ = mmap(nullptr, bytes_, protection, flags, file, 0);
                if (base_ == MAP_FAILED)
                        refuse(what + ", " + std::to_string(bytes_) + " bytes", errno);
        }

        std::size_t bytes_;
        void* base_ = nullptr;
};

/// From both ends to where they meet, by half a cache line at a time: the words decide which end
/// goes on.
class Shm final : public Work {
public:
        Shm(const std::string& path, std::uint64_t words) : mapping_(path, words) {}

        [[nodiscard]] std::uint64_t run(std::uint64_t input) const override {
                constexpr std::size_t kStride = 4;
                const auto words = mapping_.words();
                const auto size = words.size();
                const std::size_t start = input % size;
                const auto at = [&](std::size_t i) {  // of the ring that begins at `start`
                        const auto place = start + i;
                        return words[place < size ? place : place - size];
                };
                std::size_t low = 0;
                std::size_t high = size - 1;

                while (high - low > kStride) {
                        if ((at(low) ^ at(high)) < 0)
                                low += kStride;
                        else
                                high -= kStride;
                }
                return static_cast<std::uint64_t>(at(low));
        }

private:
        Mapping mapping_;
};

}  // namespace

std::unique_ptr<const Work> make_work(const Options& options) {
        switch (options.kind) {
        case Kind::Calc:
                return std::make_unique<Calc>(options.steps);
        case Kind::Serial:
                return std::make_unique<Serial>(options.steps);
        case Kind::Shm:
                break;
        }
        return std::make_unique<Shm>(options.file, options.length);
}

}  // namespace examples::jobs
