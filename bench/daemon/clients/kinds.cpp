// SPDX-License-Identifier: MIT
// The table of manners and what each says.
#include "kinds.hpp"

#include "questions.hpp"

#include <algorithm>
#include <array>
#include <sstream>
#include <stdexcept>

namespace bench {

namespace {

constexpr int kQuestionsPerTurn = 16;
constexpr std::uint32_t kWrongProtocol = 99;
constexpr std::size_t kRandomBytes = 64;
constexpr std::size_t kLong = 4000;      // bytes, just below what a request may have
constexpr std::size_t kTooLong = 60000;  // far above it, though a reply may be as long

constexpr std::array<Manner, 10> kManners{{
        // clang-format off
        {Kind::Idle,    "idle",    "asks once, then holds its connection",         true,  true,  false, false},
        {Kind::Half,    "half",    "sends half a question and waits",              true,  true,  false, false},
        {Kind::Bytes,   "bytes",   "sends its questions byte by byte",             false, true,  false, false},
        {Kind::Deaf,    "deaf",    "asks 16 questions a turn, reads no answer",    false, false, false, false},
        {Kind::Flood,   "flood",   "asks 16 questions a turn, reads the answers",  false, true,  false, false},
        {Kind::Costly,  "costly",  "asks for status, cpus and configuration",      false, true,  false, false},
        {Kind::Storm,   "storm",   "connects, asks and leaves without listening",  false, false, true,  true},
        {Kind::Version, "version", "speaks another version of the protocol",       false, true,  false, false},
        {Kind::Huge,    "huge",    "announces 2 MiB, or sends 4 or 60 kB of nothing", false, true,  true,  false},
        {Kind::Random,  "random",  "sends 64 random bytes",                        false, true,  true,  false},
        // clang-format on
}};

std::string repeated(const std::string& text, int times) {
        std::string all;
        for (int i = 0; i < times; i++)
                all += text;
        return all;
}

/// A message of about that size, all of it one field that the protocol does not know (number 15,
/// bytes).
std::string padding(std::size_t size) { return framed("\x7a" + framed(std::string(size, 'x'))); }

std::string huge(std::uint64_t turn) {
        switch (turn % 3) {
        case 0:
                return "\xff\xff\x7f";
        case 1:
                return padding(kLong);
        default:
                return padding(kTooLong);
        }
}

std::string noise(std::minstd_rand& random) {
        std::string bytes(kRandomBytes, '\0');
        for (auto& byte : bytes)
                byte = static_cast<char>(random() >> 8U);
        return bytes;
}

}  // namespace

std::span<const Manner> all_manners() { return kManners; }

std::vector<Manner> manners_named(const std::string& list) {
        std::vector<Manner> manners;
        std::istringstream stream(list);
        for (std::string name; std::getline(stream, name, ',');) {
                const auto found = std::ranges::find(kManners, name, &Manner::name);
                if (found == kManners.end())
                        throw std::runtime_error("--kinds: '" + name +
                                                 "' is not known; see --help");
                manners.push_back(*found);
        }
        if (manners.empty())
                throw std::runtime_error("--kinds: at least one is needed; see --help");
        return manners;
}

std::string speech(Kind kind, std::uint64_t turn, std::minstd_rand& random) {
        const auto whole = question();
        switch (kind) {
        case Kind::Idle:
        case Kind::Storm:
                return whole;
        case Kind::Half:
                return whole.substr(0, whole.size() / 2);
        case Kind::Bytes:
                return whole.substr(turn % whole.size(), 1);
        case Kind::Deaf:
        case Kind::Flood:
                return repeated(whole, kQuestionsPerTurn);
        case Kind::Costly:
                return costly_questions();
        case Kind::Version:
                return question(kWrongProtocol);
        case Kind::Huge:
                return huge(turn);
        case Kind::Random:
                return noise(random);
        }
        return {};
}

}  // namespace bench
