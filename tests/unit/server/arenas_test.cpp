// SPDX-License-Identifier: MIT
// Who gets which slot, and that no account makes the daemon grow beyond its quota.
#include "server/sharing/arenas.hpp"

#include <csignal>
#include <gtest/gtest.h>
#include <set>
#include <sys/mman.h>
#include <sys/resource.h>
#include <utility>
#include <vector>

namespace governor::server {
namespace {

using namespace std::chrono_literals;
using policy::Account;
using Why = NoPlace::Why;

constexpr policy::TimePoint kStart{100h};
const Account kAnna{1000};
const Account kBert{1001};

Arenas arenas(std::uint32_t per_account = 4'096, std::uint32_t total = 16'384) {
        return {{64, per_account, total}, 64};
}

std::vector<Place> take(Arenas& arenas, const Account& account, int count) {
        std::vector<Place> places;
        for (int i = 0; i < count; i++)
                places.push_back(arenas.take(account).value());
        return places;
}

std::uint64_t word_of(const Place& place) {
        governor_grant_header header{};
        EXPECT_GT(::pread(place.arena->grants_fd(), &header, sizeof(header), 0), 0);
        std::uint64_t word = 0;
        EXPECT_GT(::pread(place.arena->grants_fd(), &word, sizeof(word),
                          static_cast<off_t>(header.slots_offset +
                                             std::uint64_t{place.slot} * header.slot_size)),
                  0);
        return word;
}

TEST(ArenasTest, AccountsNeverShareMemory) {
        auto all = arenas();
        const auto anna = all.take(kAnna).value();
        const auto bert = all.take(kBert).value();
        EXPECT_NE(anna.arena, bert.arena);
        EXPECT_NE(anna.arena->grants_fd(), bert.arena->grants_fd());
        EXPECT_EQ(all.take(kAnna).value().arena, anna.arena);
        EXPECT_EQ(all.arenas(), 2U);
}

TEST(ArenasTest, NoSlotIsGivenTwice) {
        auto all = arenas();
        std::set<std::pair<Arena*, std::uint32_t>> seen;
        for (const auto& place : take(all, kAnna, 1'000))
                EXPECT_TRUE(seen.insert({place.arena, place.slot}).second);
}

TEST(ArenasTest, ArenasDoubleUpToTheQuota) {
        auto all = arenas(300);
        const auto places = take(all, kAnna, 300);
        EXPECT_EQ(places[63].arena->slots(), 64U);
        EXPECT_EQ(places[64].arena->slots(), 128U);
        EXPECT_EQ(places[299].arena->slots(), 108U);
        EXPECT_EQ(all.arenas(), 3U);
        EXPECT_EQ(all.slots(), 300U);
}

TEST(ArenasTest, AFullAccountDoesNotStandInTheWayOfOthers) {
        auto all = arenas(100);
        const auto places = take(all, kAnna, 100);
        const auto refused = all.take(kAnna);
        ASSERT_FALSE(refused);
        EXPECT_EQ(refused.error().why, Why::AccountQuota);
        EXPECT_TRUE(all.take(kBert));
        all.give_back(kAnna, places[50], kStart);
        EXPECT_TRUE(all.take(kAnna));
}

TEST(ArenasTest, ThereIsALimitForAllTogether) {
        auto all = arenas(4'096, 100);
        (void)take(all, kAnna, 64);
        (void)take(all, kBert, 36);
        EXPECT_EQ(all.take(kBert).error().why, Why::TotalQuota);
        EXPECT_EQ(all.take(Account{1002}).error().why, Why::TotalQuota);
        EXPECT_EQ(all.slots(), 100U);
}

TEST(ArenasTest, WhatTheSystemRefusesIsTold) {
        auto all = arenas();
        // Not the number of descriptors: sanitizers need some of their own.
        rlimit before{};
        ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
        const rlimit none{0, before.rlim_max};
        auto* handler = std::signal(SIGXFSZ, SIG_IGN);
        ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &none), 0);
        const auto refused = all.take(kAnna);
        ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
        std::signal(SIGXFSZ, handler);
        ASSERT_FALSE(refused);
        EXPECT_EQ(refused.error().why, Why::System);
        EXPECT_EQ(refused.error().error, std::errc::file_too_large);
        EXPECT_EQ(all.slots(), 0U);
        EXPECT_TRUE(all.take(kAnna));
}

TEST(ArenasTest, TheLowestFreeSlotIsGivenOutAgain) {
        auto all = arenas();
        const auto places = take(all, kAnna, 200);
        for (const int i : {150, 70, 5, 30})
                all.give_back(kAnna, places[static_cast<std::size_t>(i)], kStart);
        EXPECT_EQ(all.take(kAnna).value().slot, 5U);
        EXPECT_EQ(all.take(kAnna).value().slot, 30U);
        const auto third = all.take(kAnna).value();
        EXPECT_EQ(third.arena, places[70].arena);
        EXPECT_EQ(third.slot, places[70].slot);
}

TEST(ArenasTest, ASlotGivenOutAgainIsFreshAndItsEpochGoesOn) {
        auto all = arenas();
        const auto place = all.take(kAnna).value();
        EXPECT_EQ(word_of(place), governor_word(1, 0, 0));
        place.arena->publish(place.slot, {}, 0);
        all.give_back(kAnna, place, kStart);
        EXPECT_EQ(word_of(place), governor_word(3, 1, GOVERNOR_GRANT_RELEASED));
        EXPECT_EQ(word_of(all.take(kAnna).value()), governor_word(4, 0, 0));
}

TEST(ArenasTest, GivingBackTwiceOrWhatIsNotTheAccountsChangesNothing) {
        auto all = arenas();
        const auto place = all.take(kAnna).value();
        all.give_back(kBert, place, kStart);
        all.give_back(kAnna, {place.arena, 64}, kStart);
        EXPECT_EQ(word_of(place), governor_word(1, 0, 0));
        all.give_back(kAnna, place, kStart);
        all.give_back(kAnna, place, kStart + 1h);
        EXPECT_EQ(word_of(place), governor_word(2, 0, GOVERNOR_GRANT_RELEASED));
        all.forget_idle(kStart + Arenas::kKept);
        EXPECT_EQ(all.arenas(), 0U);
}

TEST(ArenasTest, ArenasGoAnHourAfterTheLastProgram) {
        auto all = arenas();
        const auto places = take(all, kAnna, 100);
        (void)take(all, kBert, 1);
        for (const auto& place : places)
                all.give_back(kAnna, place, kStart);
        all.forget_idle(kStart + Arenas::kKept - 1ns);
        EXPECT_EQ(all.slots(), 64U + 128U + 64U);
        all.forget_idle(kStart + Arenas::kKept);
        EXPECT_EQ(all.slots(), 64U);
        EXPECT_EQ(all.arenas(), 1U);
}

TEST(ArenasTest, AProgramThatComesInTimeKeepsTheArenas) {
        auto all = arenas();
        all.give_back(kAnna, all.take(kAnna).value(), kStart);
        const auto place = all.take(kAnna).value();
        all.forget_idle(kStart + 5h);
        EXPECT_EQ(all.arenas(), 1U);
        all.give_back(kAnna, place, kStart + 5h);
        all.forget_idle(kStart + 5h + 59min);
        EXPECT_EQ(all.arenas(), 1U);
}

TEST(ArenasTest, WhoComesAndGoesAndKeepsEveryMappingDoesNotMakeUsGrow) {
        auto all = arenas();
        (void)all.take(kAnna);  // somebody else of the account stays
        std::vector<void*> kept;
        constexpr std::size_t kPage = 4096;
        for (int i = 0; i < 10'000; i++) {
                const auto place = all.take(kAnna).value();
                kept.push_back(
                        ::mmap(nullptr, kPage, PROT_READ, MAP_SHARED, place.arena->grants_fd(), 0));
                ASSERT_NE(kept.back(), MAP_FAILED);
                EXPECT_EQ(place.slot, 1U);
                all.give_back(kAnna, place, kStart + i * 1min);
                all.forget_idle(kStart + i * 1min);
        }
        EXPECT_EQ(all.arenas(), 1U);
        EXPECT_EQ(all.slots(), 64U);
        for (void* mapping : kept)
                ::munmap(mapping, kPage);
}

TEST(ArenasTest, AllHeartsBeat) {
        auto all = arenas();
        const auto anna = all.take(kAnna).value();
        const auto bert = all.take(kBert).value();
        all.beat();
        for (const auto& place : {anna, bert}) {
                governor_grant_header header{};
                ASSERT_GT(::pread(place.arena->grants_fd(), &header, sizeof(header), 0), 0);
                EXPECT_EQ(header.heartbeat, 2U);
        }
}

}  // namespace
}  // namespace governor::server
