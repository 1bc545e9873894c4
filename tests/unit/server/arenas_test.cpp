// SPDX-License-Identifier: MIT
// The slot that each client gets, and that no account makes the daemon grow beyond its quota.
#include "server/sharing/arenas.hpp"

#include <algorithm>
#include <csignal>
#include <gtest/gtest.h>
#include <random>
#include <set>
#include <string>
#include <sys/mman.h>
#include <sys/resource.h>
#include <utility>
#include <vector>

namespace governor::server {
namespace {

using namespace std::chrono_literals;
using Why = NoPlace::Why;

constexpr policy::TimePoint kStart{100h};
ArenaUser user_of(std::uint32_t uid) { return {{uid}, uid}; }
const ArenaUser kAnna = user_of(1000);
const ArenaUser kBert = user_of(1001);
/// In a session of Anna's, as by sudo.
const ArenaUser kAnnasWeb{kAnna.account, 33};

Arenas arenas(std::uint32_t per_account = 4'096, std::uint32_t total = 16'384) {
        return {{64, per_account, total}, 64};
}

std::vector<Place> take(Arenas& arenas, const ArenaUser& user, int count) {
        std::vector<Place> places;
        for (int i = 0; i < count; i++)
                places.push_back(arenas.take(user, kStart).value());
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
        const auto anna = all.take(kAnna, kStart).value();
        const auto bert = all.take(kBert, kStart).value();
        EXPECT_NE(anna.arena, bert.arena);
        EXPECT_NE(anna.arena->grants_fd(), bert.arena->grants_fd());
        EXPECT_EQ(all.take(kAnna, kStart).value().arena, anna.arena);
        EXPECT_EQ(all.arenas(), 2U);
}

TEST(ArenasTest, UsersOfOneAccountNeverShareMemory) {
        auto all = arenas();
        const auto anna = all.take(kAnna, kStart).value();
        const auto web = all.take(kAnnasWeb, kStart).value();
        EXPECT_NE(anna.arena, web.arena);
        all.give_back(kAnnasWeb, anna, kStart);
        EXPECT_EQ(word_of(anna), governor_word(1, 0, 0)) << "it is not that user's";
        all.give_back(kAnna, anna, kStart);
        EXPECT_EQ(all.take(kAnnasWeb, kStart).value().arena, web.arena);
        EXPECT_EQ(all.arenas(), 2U);
}

TEST(ArenasTest, UsersOfOneAccountHaveItsQuotaTogether) {
        auto all = arenas(300);
        (void)take(all, kAnna, 64 + 128);
        (void)take(all, kAnnasWeb, 64);
        EXPECT_EQ(all.slots(), 64U + 128U + 64U);
        const auto refused = all.take({kAnna.account, 34}, kStart);
        ASSERT_FALSE(refused) << "44 slots are no arena for one user more";
        EXPECT_EQ(refused.error().why, Why::AccountQuota);
        EXPECT_EQ(take(all, kAnna, 44).back().arena->slots(), 44U);
        EXPECT_EQ(all.take(kAnna, kStart).error().why, Why::AccountQuota);
        EXPECT_TRUE(all.take(kBert, kStart));
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
        const auto refused = all.take(kAnna, kStart);
        ASSERT_FALSE(refused);
        EXPECT_EQ(refused.error().why, Why::AccountQuota);
        EXPECT_TRUE(all.take(kBert, kStart));
        all.give_back(kAnna, places[50], kStart);
        EXPECT_TRUE(all.take(kAnna, kStart));
}

TEST(ArenasTest, AnAccountLeavesAsManySlotsFreeAsItHolds) {
        auto all = arenas(4'096, 1'000);
        const auto fill = [&](const ArenaUser& user) {
                std::uint32_t slots = 0;
                auto place = all.take(user, kStart);
                for (; place; place = all.take(user, kStart))
                        slots++;
                EXPECT_EQ(place.error().why, Why::TotalQuota);
                return slots;
        };
        const auto annas = fill(kAnna);
        EXPECT_GE(annas, 400U);
        EXPECT_LE(annas, 500U);
        const auto berts = fill(kBert);
        EXPECT_GE(berts, 200U);
        EXPECT_LE(annas + 2 * berts, 1'000U);
}

TEST(ArenasTest, WhatTheSystemRefusesIsTold) {
        auto all = arenas();
        // Not the number of descriptors: sanitizers need some of their own.
        rlimit before{};
        ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
        const rlimit none{0, before.rlim_max};
        auto* handler = std::signal(SIGXFSZ, SIG_IGN);
        ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &none), 0);
        const auto refused = all.take(kAnna, kStart);
        ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
        std::signal(SIGXFSZ, handler);
        ASSERT_FALSE(refused);
        EXPECT_EQ(refused.error().why, Why::System);
        EXPECT_EQ(refused.error().error, std::errc::file_too_large);
        EXPECT_EQ(all.slots(), 0U);
        EXPECT_TRUE(all.take(kAnna, kStart));
}

TEST(ArenasTest, TheLowestFreeSlotIsGivenOutAgain) {
        auto all = arenas();
        const auto places = take(all, kAnna, 200);
        for (const int i : {150, 70, 5, 30})
                all.give_back(kAnna, places[static_cast<std::size_t>(i)], kStart);
        EXPECT_EQ(all.take(kAnna, kStart).value().slot, 5U);
        EXPECT_EQ(all.take(kAnna, kStart).value().slot, 30U);
        const auto third = all.take(kAnna, kStart).value();
        EXPECT_EQ(third.arena, places[70].arena);
        EXPECT_EQ(third.slot, places[70].slot);
}

TEST(ArenasTest, ASlotGivenOutAgainIsFreshAndItsEpochGoesOn) {
        auto all = arenas();
        const auto place = all.take(kAnna, kStart).value();
        EXPECT_EQ(word_of(place), governor_word(1, 0, 0));
        place.arena->publish(place.slot, {});
        all.give_back(kAnna, place, kStart);
        EXPECT_EQ(word_of(place), governor_word(3, 1, GOVERNOR_GRANT_RELEASED));
        EXPECT_EQ(word_of(all.take(kAnna, kStart).value()), governor_word(4, 0, 0));
}

TEST(ArenasTest, GivingBackTwiceOrWhatIsNotTheAccountsChangesNothing) {
        auto all = arenas();
        const auto place = all.take(kAnna, kStart).value();
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
        all.give_back(kAnna, all.take(kAnna, kStart).value(), kStart);
        const auto place = all.take(kAnna, kStart).value();
        all.forget_idle(kStart + 5h);
        EXPECT_EQ(all.arenas(), 1U);
        all.give_back(kAnna, place, kStart + 5h);
        all.forget_idle(kStart + 5h + 59min);
        EXPECT_EQ(all.arenas(), 1U);
}

TEST(ArenasTest, WhoComesAndGoesAndKeepsEveryMappingDoesNotMakeUsGrow) {
        auto all = arenas();
        (void)all.take(kAnna, kStart);  // somebody else of the account stays
        std::vector<void*> kept;
        constexpr std::size_t kPage = 4096;
        for (int i = 0; i < 10'000; i++) {
                const auto place = all.take(kAnna, kStart).value();
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

ArenaUser squatter(std::uint32_t number) { return user_of(4'100 + number); }

/// Takes as many slots as each of these accounts can get.
std::vector<std::vector<Place>> squat(Arenas& arenas, std::uint32_t accounts) {
        std::vector<std::vector<Place>> places(accounts);
        for (std::uint32_t i = 0; i < accounts; i++)
                while (const auto place = arenas.take(squatter(i), kStart))
                        places[i].push_back(*place);
        return places;
}

void leave(Arenas& arenas, const std::vector<std::vector<Place>>& places) {
        for (std::uint32_t i = 0; i < places.size(); i++)
                for (const auto& place : places[i])
                        arenas.give_back(squatter(i), place, kStart);
}

TEST(SquattedArenas, WithoutAProgramLeaveANewcomerItsFirstLease) {
        for (const std::uint32_t accounts : {5U, 50U}) {
                auto all = arenas();
                leave(all, squat(all, accounts));
                EXPECT_TRUE(all.take(kAnna, kStart)) << accounts;
        }
}

TEST(SquattedArenas, WithLiveProgramsLeaveANewcomerItsFirstLease) {
        for (const std::uint32_t accounts : {5U, 50U}) {
                auto all = arenas();
                const auto places = squat(all, accounts);
                const auto first = all.take(kAnna, kStart + 2h);
                ASSERT_TRUE(first) << accounts;
                EXPECT_LE(all.slots(), 16'384U + accounts * 4) << "and no more than promised";
                EXPECT_TRUE(all.take(kBert, kStart + 2h)) << accounts;
        }
}

TEST(SquattedArenas, GoAfterAMinuteToThoseWhoNeedThemTheLongestIdleFirst) {
        auto all = arenas(4'096, 1'000);
        const auto places = squat(all, 2);
        for (const auto& place : places[0])
                all.give_back(squatter(0), place, kStart + 10s);
        for (const auto& place : places[1])
                all.give_back(squatter(1), place, kStart);
        ASSERT_EQ(all.slots(), places[0].size() + places[1].size());
        (void)take(all, kAnna, 100);
        (void)take(all, kBert, 1);
        EXPECT_LT(take(all, user_of(1002), 1)[0].arena->slots(), 64U)
                << "there is little room left";
        const auto before = all.slots();
        const auto place = all.take(user_of(1003), kStart + Arenas::kKeptWhenShort).value();
        EXPECT_EQ(place.arena->slots(), 64U);
        EXPECT_LT(all.slots(), before + 64);
        EXPECT_GE(all.slots() + places[1].size(), before + 64);
        const auto after = all.slots();
        for (std::size_t i = 0; i < places[0].size(); i++)
                ASSERT_TRUE(all.take(squatter(0), kStart + Arenas::kKeptWhenShort)) << i;
        EXPECT_EQ(all.slots(), after) << "the account that left later has kept all of its arenas";
}

TEST(SquattedArenas, OfWhichOneSleepingProgramIsLeftGoAfterAMinuteToThoseWhoNeedThem) {
        auto all = arenas();
        auto places = squat(all, 12);
        for (auto& account : places) {
                ASSERT_FALSE(account.empty());
                account.erase(account.begin());  // this one sleeps
        }
        leave(all, places);
        const auto now = kStart + Arenas::kKeptWhenShort;
        for (int i = 0; i < 1'000; i++) {
                const auto place = all.take(kAnna, now);
                ASSERT_TRUE(place) << i;
                EXPECT_GE(place->arena->slots(), 64U);
        }
        EXPECT_LE(all.slots(), 16'384U + 12 * 4);
}

TEST(SquattedArenas, InWhichAProgramIsLeftStay) {
        auto all = arenas();
        const auto places = take(all, kAnna, 64 + 128 + 256);
        for (std::size_t i = 0; i < places.size(); i++)
                if (i != 100)  // of the second arena
                        all.give_back(kAnna, places[i], kStart);
        all.forget_idle(kStart + Arenas::kKept);
        EXPECT_EQ(all.slots(), 128U);
        const auto& left = places[100];
        EXPECT_EQ(word_of(left), governor_word(1, 0, 0));
        EXPECT_EQ(all.take(kAnna, kStart + Arenas::kKept).value().arena, left.arena);
}

TEST(SquattedArenas, EmptyFromTheLargestOnDownWhereProgramsComeAndGo) {
        auto all = arenas();
        auto places = take(all, kAnna, 64 + 128 + 256);
        auto now = kStart;
        while (places.size() > 60) {  // the oldest programs end, and some are started again
                now += 1s;
                for (int i = 0; i < 3; i++) {
                        all.give_back(kAnna, places.front(), now);
                        places.erase(places.begin());
                }
                places.push_back(all.take(kAnna, now).value());
        }
        for (int i = 0; i < 500; i++) {
                now += 1s;
                all.give_back(kAnna, places.front(), now);
                places.erase(places.begin());
                places.push_back(all.take(kAnna, now).value());
        }
        all.forget_idle(now + Arenas::kKept);
        EXPECT_EQ(all.slots(), 64U);
}

/// Up to `most` of what it can get.
void take_more(Arenas& arenas, const ArenaUser& user, std::size_t most, policy::TimePoint now,
               std::vector<Place>& places) {
        for (; most > 0; most--) {
                const auto place = arenas.take(user, now);
                if (!place)
                        return;
                places.push_back(*place);
        }
}

TEST(SquattedArenas, DoNotBecomeManySmallOnes) {
        std::mt19937 random(1);
        Arenas all({8, 100, 250, 2, 1'000}, 64);
        std::set<const Arena*> squatted;
        auto now = kStart;
        const auto an_hour_later = [&] {
                now += Arenas::kKept;
                all.forget_idle(now);
        };
        for (int round = 0; round < 300; round++) {
                std::vector<Place> others;  // they decide how large the last but one is
                std::vector<Place> places;
                take_more(all, kBert, random() % 200, now, others);
                take_more(all, kAnna, 100, now, places);
                for (const auto& place : others)
                        all.give_back(kBert, place, now);
                an_hour_later();
                take_more(all, kAnna, 100, now, places);
                for (const auto& place : places)
                        if (place.arena->slots() >= 8 || !squatted.insert(place.arena).second)
                                all.give_back(kAnna, place, now);
                an_hour_later();
        }
        EXPECT_LE(squatted.size(), Arenas::kSmallArenas);
}

TEST(SquattedArenas, OfTheUsersOfOneAccountAreFewAndGoToItsNextAfterAMinute) {
        auto all = arenas(1'024);
        const auto bert = all.take(kBert, kStart).value();
        all.give_back(kBert, bert, kStart);
        const auto user = [](std::uint32_t i) { return ArenaUser{kAnna.account, 100'000 + i}; };
        std::vector<Place> places;
        while (const auto place = all.take(user(static_cast<std::uint32_t>(places.size())), kStart))
                places.push_back(*place);
        EXPECT_EQ(places.size(), 16U);
        for (std::uint32_t i = 0; i < places.size(); i++)
                all.give_back(user(i), places[i], kStart + 1s);
        EXPECT_FALSE(all.take(user(100), kStart + 1s));
        for (std::uint32_t i = 100; i < 116; i++)
                EXPECT_TRUE(all.take(user(i), kStart + 1s + Arenas::kKeptWhenShort)) << i;
        EXPECT_EQ(all.take(kBert, kStart).value().arena, bert.arena) << "nobody else's went";
}

TEST(SquattedArenas, AreKeptForAMinuteHoweverManyNeedThem) {
        auto all = arenas(4'096, 1'000);
        leave(all, squat(all, 20));
        const auto slots = all.slots();
        std::uint32_t newcomers = 0;
        for (; newcomers < 50; newcomers++)
                ASSERT_TRUE(all.take(user_of(5'000 + newcomers), kStart + 59s));
        EXPECT_GE(all.slots(), slots + newcomers * 4);
}

TEST(SquattedArenas, AreNoMoreThanThereAreDescriptorsFor) {
        Arenas all({64, 4'096, 16'384, 4, 100}, 64);
        for (std::uint32_t i = 0; i < 100; i++)
                ASSERT_TRUE(all.take(squatter(i), kStart));
        EXPECT_EQ(all.take(kAnna, kStart).error().why, Why::TotalQuota);
        EXPECT_EQ(all.arenas(), 100U);
}

TEST(SquattedArenas, AreDroppedAFewAtATime) {
        auto all = arenas();
        leave(all, squat(all, 50));
        for (auto left = all.arenas(); left > 0; left = all.arenas()) {
                all.forget_idle(kStart + Arenas::kKept);
                EXPECT_EQ(left - all.arenas(), std::min<std::size_t>(left, Arenas::kDropsAtOnce));
        }
        EXPECT_EQ(all.slots(), 0U);
}

/// Accounts that take and give back at random, within limits that are soon reached.
TEST(AnyAccounts, NeverKeepOneWithoutASlotFromItsFirst) {
        constexpr std::uint32_t kAccounts = 30;
        for (unsigned seed = 1; seed <= 20 && !testing::Test::HasFailure(); seed++) {
                SCOPED_TRACE("seed " + std::to_string(seed));
                std::mt19937 random(seed);
                Arenas all({8, 40, 100, 2, 1'000}, 64);
                std::vector<std::vector<Place>> places(kAccounts);
                auto now = kStart;
                for (int i = 0; i < 2'000; i++) {
                        const auto who = static_cast<std::uint32_t>(random() % kAccounts);
                        now += std::chrono::seconds{random() % 5};
                        if (random() % 3 != 0) {
                                const auto place = all.take(squatter(who), now);
                                ASSERT_TRUE(place || !places[who].empty()) << "refused its first";
                                if (place)
                                        places[who].push_back(*place);
                        } else if (!places[who].empty()) {
                                all.give_back(squatter(who), places[who].back(), now);
                                places[who].pop_back();
                        }
                        ASSERT_LE(places[who].size(), 40U);
                        ASSERT_LE(all.slots(), 100U + kAccounts * 2);
                }
        }
}

TEST(ArenasTest, AllHeartsBeat) {
        auto all = arenas();
        const auto anna = all.take(kAnna, kStart).value();
        const auto bert = all.take(kBert, kStart).value();
        all.beat();
        for (const auto& place : {anna, bert}) {
                governor_grant_header header{};
                ASSERT_GT(::pread(place.arena->grants_fd(), &header, sizeof(header), 0), 0);
                EXPECT_EQ(header.heartbeat, 2U);
        }
}

}  // namespace
}  // namespace governor::server
