// SPDX-License-Identifier: MIT
// The clock is read right after an answer has arrived, before anything is done with it.
#include "line.hpp"

#include "questions.hpp"

#include <array>
#include <cerrno>
#include <sys/socket.h>

namespace bench {

void Line::ask(const std::string& question, std::int64_t due_ns, Tally& tally) {
        const auto sent_ns = now_ns();
        const auto n =
                is_open() ? ::send(fd(), question.data(), question.size(), MSG_NOSIGNAL) : -1;
        if (n != static_cast<ssize_t>(question.size())) {
                tally.unsent++;
                return;
        }
        tally.asked++;
        asked_.push_back({due_ns, sent_ns});
}

std::size_t Line::receive(Tally& tally) {
        std::array<char, 4096> chunk;
        const auto n = ::recv(fd(), chunk.data(), chunk.size(), 0);
        const auto arrived_ns = now_ns();
        if (n < 0 && errno == EAGAIN)
                return 0;
        if (n <= 0) {
                tally.ended++;
                fd_ = UniqueFd();
                return 0;
        }
        received_.append(chunk.data(), static_cast<std::size_t>(n));
        take_answers(arrived_ns, tally);
        return static_cast<std::size_t>(n);
}

void Line::take_answers(std::int64_t arrived_ns, Tally& tally) {
        while (!received_.empty()) {
                std::optional<Answer> answer;
                if (echo_bytes_ == 0)
                        answer = first_answer(received_);
                else if (received_.size() >= echo_bytes_)
                        answer = Answer{echo_bytes_, true};
                if (!answer)
                        return;
                received_.erase(0, answer->size);
                // An answer nobody asked for, such as a farewell, is as wrong as a false one.
                if (!answer->is_advice || asked_.empty()) {
                        tally.wrong++;
                        continue;
                }
                tally.answered++;
                tally.from_due_ns.push_back(arrived_ns - asked_.front().due_ns);
                tally.from_sent_ns.push_back(arrived_ns - asked_.front().sent_ns);
                asked_.pop_front();
        }
        std::string().swap(received_);
}

}  // namespace bench
