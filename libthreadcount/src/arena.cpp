// SPDX-License-Identifier: MIT
// Checks, mappings, and the reader's side of the protocol.
#include "arena.hpp"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace threadcount {

namespace {

using Word = std::atomic<std::uint64_t>;

static_assert(Word::is_always_lock_free && sizeof(Word) == sizeof(std::uint64_t));
static_assert(offsetof(governor_pool_report, unused) ==
              Arena::kPoolNumbers * sizeof(std::uint64_t));

constexpr int kTries = 4;

const Word kNothing{0};

template <class Number>
const std::atomic<Number>* at(const std::byte* start, std::uint64_t offset) {
        return reinterpret_cast<const std::atomic<Number>*>(start + offset);
}

bool has_seals(int fd, int seals, int but_not) {
        const int has = fcntl(fd, F_GET_SEALS);
        return has >= 0 && (has & seals) == seals && (has & but_not) == 0;
}

/// Sizes cannot change after the seals were seen.
bool examine(int grants, int reports, std::uint32_t slot, ArenaLayout* ret_layout) {
        constexpr int kFixed = F_SEAL_SHRINK | F_SEAL_GROW;
        constexpr int kReadOnly = F_SEAL_FUTURE_WRITE;
        struct stat grants_status {};
        struct stat reports_status {};
        governor_grant_header header{};
        return has_seals(grants, kFixed | kReadOnly, 0) &&
               has_seals(reports, kFixed, kReadOnly | F_SEAL_WRITE) &&
               fstat(grants, &grants_status) == 0 && fstat(reports, &reports_status) == 0 &&
               pread(grants, &header, sizeof(header), 0) == ssize_t{sizeof(header)} &&
               find_layout(header, static_cast<std::uint64_t>(grants_status.st_size),
                           static_cast<std::uint64_t>(reports_status.st_size), slot, ret_layout);
}

void copy_set(const std::byte* set, std::size_t set_words, std::uint64_t* words, std::size_t n) {
        for (std::size_t i = 0; i < n; i++)
                words[i] = i < set_words ? at<std::uint64_t>(set, i * sizeof(Word))
                                                   ->load(std::memory_order_relaxed)
                                         : 0;
}

governor_grant_reason copy_reason(const std::byte* from) {
        constexpr auto kNumbers = sizeof(governor_grant_reason) / sizeof(std::uint32_t);
        std::uint32_t numbers[kNumbers];
        for (std::size_t i = 0; i < kNumbers; i++)
                numbers[i] = at<std::uint32_t>(from, i * sizeof(std::uint32_t))
                                     ->load(std::memory_order_relaxed);
        governor_grant_reason reason;
        memcpy(&reason, numbers, sizeof(reason));
        return reason;
}

}  // namespace

Arena::Arena()
        : word_(&kNothing), heartbeat_(&kNothing), report_(nowhere_), pool_(nowhere_for_pool()) {}

Word* Arena::nowhere_for_pool() {
        return reinterpret_cast<Word*>(nowhere_ + offsetof(governor_report_slot, pool));
}

void Arena::begin_change() {
        generation_.store(generation_.load(std::memory_order_relaxed) + 1,
                          std::memory_order_relaxed);
        // A reader that sees anything of what follows also sees that it is being changed.
        std::atomic_thread_fence(std::memory_order_seq_cst);
        word_.store(&kNothing, std::memory_order_release);
        heartbeat_.store(&kNothing, std::memory_order_release);
        report_.store(nowhere_, std::memory_order_release);
        pool_.store(nowhere_for_pool(), std::memory_order_release);
}

void Arena::end_change(const ArenaLayout* layout) {
        constexpr auto kRelaxed = std::memory_order_relaxed;
        view_.grants.store(layout != nullptr ? grants_.start() : nullptr, kRelaxed);
        if (layout != nullptr) {
                view_.word.store(layout->word, kRelaxed);
                for (int i = 0; i < 2; i++) {
                        view_.reasons[i].store(layout->reasons[i], kRelaxed);
                        view_.sets[i].store(layout->sets[i], kRelaxed);
                }
                view_.set_words.store(layout->set_words, kRelaxed);
                word_.store(at<std::uint64_t>(grants_.start(), layout->word),
                            std::memory_order_release);
                heartbeat_.store(at<std::uint64_t>(grants_.start(),
                                                   offsetof(governor_grant_header, heartbeat)),
                                 std::memory_order_release);
                report_.store(reports_.start() + layout->report, std::memory_order_release);
                if (layout->pool != 0)
                        pool_.store(reinterpret_cast<Word*>(reports_.start() + layout->pool),
                                    std::memory_order_release);
        }
        generation_.store(generation_.load(kRelaxed) + 1, std::memory_order_release);
}

void Arena::clear_report(const ArenaLayout& layout) {
        const auto size = layout.pool != 0 ? sizeof(governor_report_slot)
                                           : std::size_t{GOVERNOR_REPORT_SLOT_SIZE_MIN};
        for (std::size_t i = 0; i < size; i += sizeof(Word))
                reinterpret_cast<Word*>(reports_.start() + layout.report + i)
                        ->store(0, std::memory_order_relaxed);
}

int Arena::attach(int grants, int reports, std::uint32_t slot, Slot state) {
        ArenaLayout layout;
        if (!examine(grants, reports, slot, &layout))
                return -EPROTO;
        begin_change();
        int result = grants_.map(grants, layout.grants_size);
        if (result == 0)
                result = reports_.map(reports, layout.reports_size);
        if (result < 0) {
                grants_.clear();
                reports_.clear();
        }
        if (result == 0 && state == Slot::Fresh)
                clear_report(layout);
        end_change(result == 0 ? &layout : nullptr);
        return result;
}

void Arena::detach() {
        begin_change();
        grants_.clear();
        reports_.clear();
        end_change(nullptr);
}

bool Arena::is_still(std::uint32_t generation) const {
        std::atomic_thread_fence(std::memory_order_acquire);
        return generation_.load(std::memory_order_relaxed) == generation;
}

int Arena::try_read(std::uint64_t* words, std::size_t n, Grant* ret_grant) const {
        constexpr auto kRelaxed = std::memory_order_relaxed;
        const auto generation = generation_.load(std::memory_order_acquire);
        const auto* grants = view_.grants.load(kRelaxed);
        const auto word_offset = view_.word.load(kRelaxed);
        const std::uint64_t reasons[] = {view_.reasons[0].load(kRelaxed),
                                         view_.reasons[1].load(kRelaxed)};
        const std::uint64_t sets[] = {view_.sets[0].load(kRelaxed), view_.sets[1].load(kRelaxed)};
        const auto set_words = view_.set_words.load(kRelaxed);
        // Only offsets that belong together are within the range, which can be read for ever.
        if (generation % 2 != 0 || !is_still(generation))
                return -EAGAIN;
        if (grants == nullptr)
                return -ENOTCONN;
        const auto* place = at<std::uint64_t>(grants, word_offset);
        const auto word = place->load(std::memory_order_acquire);
        const auto buffer = governor_word_epoch(word) & 1;
        copy_set(grants + sets[buffer], set_words, words, n);
        *ret_grant = {word, copy_reason(grants + reasons[buffer])};
        std::atomic_thread_fence(std::memory_order_acquire);
        // Another arena may by chance have the same word.
        if (place->load(kRelaxed) != word || !is_still(generation))
                return -EAGAIN;
        return static_cast<int>(set_words);
}

int Arena::read_set(std::uint64_t* words, std::size_t n, std::uint64_t* ret_word,
                    governor_grant_reason* ret_reason) const {
        Grant grant{};
        int result = -EAGAIN;
        for (int i = 0; i < kTries && result == -EAGAIN; i++)
                result = try_read(words, n, &grant);
        if (result < 0)
                return result;
        *ret_word = grant.word;
        *ret_reason = grant.reason;
        return result;
}

}  // namespace threadcount
