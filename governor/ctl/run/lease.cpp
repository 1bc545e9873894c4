// SPDX-License-Identifier: MIT
// Hello, and what follows from it.
#include "run/lease.hpp"

#include <algorithm>
#include <poll.h>
#include <unistd.h>
#include <utility>

namespace ctl::run {

namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr seconds kPatience{2};
constexpr seconds kTryAgain{1};
/// A shell starts one program a millisecond, and on busy CPUs one of them comes later. With 3 ms 16
/// trees that began at once on 64 CPUs had 80 threads, with 5 ms 64.
constexpr milliseconds kQuiet{5};
constexpr milliseconds kLongestHerd{20};
/// For the new share: without an answer, the first one will do.
constexpr milliseconds kShortPatience{20};
/// Between two looks at the grant.
constexpr std::chrono::microseconds kLookAgain{500};
/// Replies that are read in one go: the command's signals wait meanwhile.
constexpr int kRepliesAtOnce = 16;
/// A heartbeat that has not changed for so long is none.
constexpr seconds kStale{2};

/// The bytes by which a hello names CPUs.
std::string bytes_of(const CpuMask& cpus) {
        std::string bytes;
        for (std::size_t i = 0; i < threadcount::kMostCpus / 8; i++)
                bytes.push_back(static_cast<char>(cpus.words[i / 8] >> (8 * (i % 8)) & 0xffU));
        bytes.resize(bytes.find_last_not_of('\0') + 1);
        return bytes;
}

NoLease refusal(const governor::v1::Error& error) {
        using governor::v1::Error;
        return {{kFailed, "the governor refuses: " + error.message()},
                error.code() == Error::NOT_GOVERNING || error.code() == Error::NOT_PERMITTED ||
                        error.code() == Error::NOT_KNOWN || error.code() == Error::TOO_MANY};
}

}  // namespace

Lease::Lease(std::vector<std::string> addresses, governor::v1::Hello hello)
        : addresses_(std::move(addresses)), hello_(std::move(hello)) {}

tl::expected<void, NoLease> Lease::take() {
        auto connection = Connection::open(addresses_);
        if (!connection)
                return tl::unexpected(NoLease{std::move(connection.error())});
        const auto deadline = Clock::now() + kPatience;
        say_hello(std::move(*connection), Clock::now());
        if (wait_until(deadline, &Lease::is_decided)) {
                ask_who_we_are();
                (void)wait_until(deadline, &Lease::is_known);
        }
        if (grant(Clock::now()))
                return {};
        const auto why = refused_.value_or(
                NoLease{{kNotReachable, "the governor does not answer; see systemctl status "
                                        "governord, or its log"}});
        lose(Clock::now());
        return tl::unexpected(why);
}

void Lease::settle() {
        const auto start = Clock::now();
        auto changed = start;
        auto word = arena_.load();
        for (auto now = start; now - changed < kQuiet && now - start < kLongestHerd;
             now = Clock::now()) {
                ::usleep(kLookAgain.count());
                if (const auto newer = arena_.load(); newer != word) {
                        word = newer;
                        changed = Clock::now();
                }
        }
        const auto known = client_;
        client_.Clear();
        ask_who_we_are();
        (void)wait_until(Clock::now() + kShortPatience, &Lease::is_known);
        if (client_.share() == 0)
                client_ = known;
        if (!is_in_another_tree())
                return;
        ask_what_the_tree_may_use();
        (void)wait_until(Clock::now() + kShortPatience, &Lease::is_tree_known);
}

/// The other programs of the tree may do nothing but wait for this one.
void Lease::ask_what_the_tree_may_use() {
        governor::v1::Request request;
        request.mutable_query();
        stream_->send(std::move(request));
}

void Lease::say_hello(Connection connection, Clock::time_point now) {
        stream_.emplace(std::move(connection));
        state_ = State::Waiting;
        again_ = now + kPatience;
        governor::v1::Request request;
        *request.mutable_hello() = hello_;
        stream_->send(std::move(request));
}

/// A decision comes into the memory, of which nothing tells: so it looks often.
bool Lease::wait_until(Clock::time_point deadline, bool (Lease::*is_there)()) {
        while (Clock::now() < deadline) {
                take_replies();
                if ((this->*is_there)())
                        return true;
                if (!stream_ || stream_->is_over() || refused_)
                        return false;
                pollfd ready{stream_->fd(), POLLIN, 0};
                (void)::poll(&ready, 1, 1);
        }
        return false;
}

bool Lease::is_decided() { return grant(Clock::now()).has_value(); }

void Lease::take_replies() {
        for (int i = 0; i < kRepliesAtOnce && stream_; i++) {
                const auto reply = stream_->next();
                if (!reply)
                        return;
                take_reply(*reply);
        }
}

void Lease::take_reply(const governor::v1::Reply& reply) {
        if (reply.has_welcome() && state_ == State::Waiting)
                attach(reply.welcome());
        else if (reply.has_error() && state_ == State::Waiting)
                refused_ = refusal(reply.error());
        else if (reply.has_explanation() && reply.explanation().client().label() == hello_.label())
                client_ = reply.explanation().client();
        else if (reply.has_advice() && reply.advice().reason() == governor::v1::Advice::TREE_SHARE)
                tree_share_ = reply.advice().threads();
        else if (state_ == State::Waiting)
                refused_ = NoLease{{kFailed, "what answers is no governor"}};
        else if (reply.has_error() && client_.id() == 0)
                client_.set_id(UINT64_MAX);  // it cannot tell
}

void Lease::attach(const governor::v1::Welcome& welcome) {
        const auto fds = stream_->take_descriptors();
        const int result =
                fds.size() != 2 ? -1
                                : arena_.attach(fds[0], fds[1], welcome.slot(),
                                                welcome.fresh() ? threadcount::Arena::Slot::Fresh
                                                                : threadcount::Arena::Slot::Used);
        for (const int fd : fds)
                ::close(fd);
        if (result < 0) {
                refused_ = NoLease{{kFailed, "what answers is no governor"}};
                return;
        }
        state_ = State::Held;
        word_ = 0;
        heartbeat_ = 0;
        if (!acts_.empty())
                send_update();
}

/// Another process may have this number in the governor's pid namespace: its label is looked at.
void Lease::ask_who_we_are() {
        governor::v1::Request request;
        request.mutable_explain()->set_pid(static_cast<std::uint32_t>(::getpid()));
        stream_->send(std::move(request));
}

void Lease::tell(const std::string& acts) {
        acts_ = acts;
        if (state_ == State::Held && stream_)
                send_update();
}

void Lease::stop_yielding() {
        hello_.clear_yields();
        hello_.clear_can_wait();
        does_not_yield_ = true;
        if (state_ == State::Held && stream_)
                send_update();
}

/// Hello says it from the next one on.
void Lease::hold_to_nothing() {
        hello_.set_sleeps(true);
        is_held_to_nothing_ = true;
        if (state_ == State::Held && stream_)
                send_update();
}

/// An older governor knows the wishes only, and would take those that are missing for none.
void Lease::send_update() {
        governor::v1::Request request;
        *request.mutable_update()->mutable_wishes() = hello_.wishes();
        request.mutable_update()->set_acts(acts_);
        if (does_not_yield_)
                request.mutable_update()->set_yields(false);
        request.mutable_update()->set_keeps(is_held_to_nothing_);
        request.mutable_update()->set_sleeps(is_held_to_nothing_);
        stream_->send(std::move(request));
}

std::optional<milliseconds> Lease::look(Clock::time_point now) {
        if (stream_) {
                take_replies();
                const bool is_late = state_ == State::Waiting && now >= again_;
                if (stream_->is_over() || refused_ || is_late)
                        lose(now);
        } else if (now >= again_) {
                auto connection = Connection::open_at_once(addresses_);
                if (connection)
                        say_hello(std::move(*connection), now);
                else
                        again_ = now + kTryAgain;
        }
        if (state_ == State::Held)
                return std::nullopt;
        return std::chrono::ceil<milliseconds>(std::max(again_ - now, Clock::duration::zero()));
}

void Lease::lose(Clock::time_point now) {
        if (grant_)
                hello_.set_holds(bytes_of(grant_->cpus));
        grant_.reset();
        arena_.detach();
        stream_.reset();
        state_ = State::None;
        again_ = now + kTryAgain;
        refused_.reset();
}

bool Lease::is_beating(Clock::time_point now) {
        const auto heartbeat = arena_.heartbeat();
        if (heartbeat != heartbeat_) {
                heartbeat_ = heartbeat;
                beaten_ = now;
        }
        return now - beaten_ < kStale;
}

const std::optional<Grant>& Lease::grant(Clock::time_point now) {
        static const std::optional<Grant> none;
        if (state_ != State::Held || !is_beating(now))
                return none;
        const auto word = arena_.load();
        if (word == word_)
                return grant_;
        Grant grant;
        std::uint64_t read = 0;
        if (governor_word_threads(word) == 0 ||
            arena_.read_set(static_cast<std::uint64_t*>(grant.cpus.words), CpuMask::kWords, &read,
                            &grant.why) < 0)
                return none;
        grant.threads = governor_word_threads(read);
        // It has "what it would have anyway": the governor observes, is paused, or ignores this
        // program.
        grant.is_ungoverned = grant.threads == GOVERNOR_WORD_THREADS_MAX ||
                              (governor_word_flags(read) & GOVERNOR_GRANT_RELEASED) != 0;
        grant.is_parked = (governor_word_flags(read) & GOVERNOR_GRANT_PARKED) != 0;
        grant_ = grant;
        word_ = read;
        return grant_;
}

}  // namespace ctl::run
