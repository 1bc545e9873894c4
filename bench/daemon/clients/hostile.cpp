// SPDX-License-Identifier: MIT
// Turns by the clock, never faster: what the server cannot take is not sent again and again.
#include "hostile.hpp"

#include <array>
#include <cerrno>
#include <sys/socket.h>

namespace bench {

namespace {

constexpr std::int64_t kStep = 5'000'000;

}  // namespace

Hostile::Hostile(HostileOptions options)
        : options_(std::move(options)), visitors_(options_.connections),
          deeds_(options_.manners.size()), start_ns_(now_ns()) {
        for (std::size_t i = 0; i < visitors_.size(); i++)
                visitors_[i].manner = i % options_.manners.size();
        watch_.add(alarm_.fd(), EPOLLIN, kAlarm);
}

void Hostile::step() {
        const auto now = now_ns();
        const auto due =
                static_cast<std::uint64_t>((now - start_ns_) * options_.rate / kSecond) + 1;
        if (due > turns_ + left_out_ + options_.rate)
                left_out_ = due - turns_ - options_.rate;
        for (; turns_ + left_out_ < due; turns_++)
                take_turn(static_cast<std::uint32_t>(turns_ % visitors_.size()));
        alarm_.set(now + kStep);
        while (now_ns() < now + kStep) {
                const auto events = watch_.wait(-1);
                if (events.empty())
                        return;  // a signal
                for (const auto& event : events)
                        if (event.data.u32 != kAlarm && visitors_[event.data.u32].fd)
                                listen(event.data.u32, event.events);
        }
}

void Hostile::take_turn(std::uint32_t number) {
        auto& visitor = visitors_[number];
        const auto& manner = options_.manners[visitor.manner];
        if (manner.starts_anew)
                hang_up(visitor);
        const bool was_open = static_cast<bool>(visitor.fd);
        if (was_open && manner.once)
                return;
        deeds_[visitor.manner].turns++;
        if (!was_open && !open(number)) {
                deeds_[visitor.manner].refused++;
                return;
        }
        speak(number);
        if (manner.leaves)
                hang_up(visitor);
}

bool Hostile::open(std::uint32_t number) {
        auto& visitor = visitors_[number];
        visitor.fd = connect_to(options_.socket);
        if (!visitor.fd)
                return false;
        const auto& manner = options_.manners[visitor.manner];
        watch_.add(visitor.fd.get(), manner.reads ? EPOLLIN : EPOLLRDHUP, number);
        deeds_[visitor.manner].connected++;
        return true;
}

void Hostile::speak(std::uint32_t number) {
        auto& visitor = visitors_[number];
        auto& deeds = deeds_[visitor.manner];
        if (visitor.unsent.empty())
                visitor.unsent =
                        speech(options_.manners[visitor.manner].kind, visitor.turn++, random_);
        const auto n = ::send(visitor.fd.get(), visitor.unsent.data(), visitor.unsent.size(),
                              MSG_NOSIGNAL);
        if (n < 0 && errno == EAGAIN) {
                deeds.blocked++;
        } else if (n < 0) {
                deeds.ended++;
                hang_up(visitor);
        } else {
                deeds.sent_bytes += static_cast<std::uint64_t>(n);
                visitor.unsent.erase(0, static_cast<std::size_t>(n));
        }
}

void Hostile::listen(std::uint32_t number, std::uint32_t events) {
        auto& visitor = visitors_[number];
        auto& deeds = deeds_[visitor.manner];
        static std::array<char, 65536> chunk;
        const auto n = (events & EPOLLIN) != 0
                               ? ::recv(visitor.fd.get(), chunk.data(), chunk.size(), 0)
                               : 0;
        if (n > 0) {
                deeds.received_bytes += static_cast<std::uint64_t>(n);
        } else if (n == 0 || errno != EAGAIN) {
                deeds.ended++;
                hang_up(visitor);
        }
}

void Hostile::hang_up(Visitor& visitor) {
        visitor.fd = UniqueFd();
        visitor.unsent.clear();
}

}  // namespace bench
