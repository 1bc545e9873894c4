// SPDX-License-Identifier: MIT
// The parser of /proc/stat on recorded, made-up, cut and broken text.
#include "probe/proc_stat.hpp"

#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <string>

namespace governor::probe {
namespace {

std::vector<std::uint32_t> numbers(const StatReading& reading) {
        std::vector<std::uint32_t> cpus;
        for (const auto& ticks : reading.cpus)
                cpus.push_back(ticks.cpu);
        return cpus;
}

void expect_ticks(const CpuTicks& ticks, const CpuTicks& expected) {
        EXPECT_EQ(ticks.cpu, expected.cpu);
        EXPECT_EQ(ticks.idle, expected.idle);
        EXPECT_EQ(ticks.iowait, expected.iowait);
        EXPECT_EQ(ticks.nice, expected.nice);
        EXPECT_EQ(ticks.total, expected.total);
}

constexpr std::string_view kSmall = "cpu  30 0 30 300 30 0 0 0 0 0\n"
                                    "cpu0 10 0 10 100 10 0 0 0 0 0\n"
                                    "cpu1 20 0 20 200 20 0 0 0 0 0\n"
                                    "intr 1 2 3\n"
                                    "ctxt 4\n";

TEST(ProcStat, ReadsARecordedMachine) {
        std::ifstream file(GOVERNOR_FIXTURES "/proc-stat/two-cpus-linux-6");
        const std::string text{std::istreambuf_iterator<char>(file), {}};
        const auto reading = parse_proc_stat(text);
        ASSERT_TRUE(reading);
        EXPECT_TRUE(reading->list_ended);
        ASSERT_EQ(numbers(*reading), (std::vector<std::uint32_t>{0, 1}));
        // The kernel's own sum over all CPUs is the oracle.
        std::uint64_t user = 0, nice = 0, system = 0, idle = 0, iowait = 0, irq = 0, soft = 0,
                      steal = 0;
        ASSERT_EQ(sscanf(text.c_str(), "cpu %lu %lu %lu %lu %lu %lu %lu %lu", &user, &nice, &system,
                         &idle, &iowait, &irq, &soft, &steal),
                  8);
        const auto& cpus = reading->cpus;
        EXPECT_NEAR(static_cast<double>(cpus[0].idle + cpus[1].idle), static_cast<double>(idle), 2);
        EXPECT_NEAR(static_cast<double>(cpus[0].iowait + cpus[1].iowait),
                    static_cast<double>(iowait), 2);
        EXPECT_NEAR(static_cast<double>(cpus[0].total + cpus[1].total),
                    static_cast<double>(user + nice + system + idle + iowait + irq + soft + steal),
                    16);
}

TEST(ProcStat, TakesIdleIowaitNiceAndTheSumOfAllColumns) {
        const auto reading =
                parse_proc_stat("cpu0 1 20 300 4000 50000 600000 7000000 80000000 9 9\n"
                                "intr 1\n");
        ASSERT_TRUE(reading);
        expect_ticks(reading->cpus.at(0), {0, 4000, 50000, 20, 87654321});
}

TEST(ProcStat, TakesTheTimeThatTheHypervisorTook) {
        const auto reading = parse_proc_stat("cpu0 1 2 3 4 5 6 7 8 9 10\nintr 1\n");
        ASSERT_TRUE(reading);
        EXPECT_EQ(reading->cpus[0].stolen, 8U);
}

TEST(ProcStat, CountsGuestTimeOnce) {
        const auto reading = parse_proc_stat("cpu0 500 50 0 1000 0 0 0 0 500 50\nintr 1\n");
        ASSERT_TRUE(reading);
        EXPECT_EQ(reading->cpus.at(0).total, 1550U);
}

TEST(ProcStat, KeepsSparseCpuNumbers) {
        const auto reading =
                parse_proc_stat("cpu  6 0 0 6\ncpu0 1 0 0 1\ncpu3 2 0 0 2\ncpu64 3 0 0 3\n"
                                "intr 1\n");
        ASSERT_TRUE(reading);
        EXPECT_EQ(numbers(*reading), (std::vector<std::uint32_t>{0, 3, 64}));
        expect_ticks(reading->cpus[2], {64, 3, 0, 0, 6});
}

TEST(ProcStat, ReadsAMachineWhoseOnlyCpuIsNumberOne) {
        const auto reading = parse_proc_stat("cpu  5 0 0 7\ncpu1 5 0 0 7\nintr 1\n");
        ASSERT_TRUE(reading);
        EXPECT_EQ(numbers(*reading), (std::vector<std::uint32_t>{1}));
}

TEST(ProcStat, SortsCpusThatComeInAnotherOrder) {
        const auto reading = parse_proc_stat("cpu2 2 0 0 2\ncpu0 0 0 0 0\ncpu1 1 0 0 1\nintr 1\n");
        ASSERT_TRUE(reading);
        EXPECT_EQ(numbers(*reading), (std::vector<std::uint32_t>{0, 1, 2}));
        EXPECT_EQ(reading->cpus[2].idle, 2U);
}

TEST(ProcStat, ReadsFourThousandAndNinetySixCpus) {
        std::string text = "cpu  1 2 3 4 5 6 7 8 9 10\n";
        for (int cpu = 0; cpu < 4096; cpu++)
                text += "cpu" + std::to_string(cpu) + " 1 2 3 " + std::to_string(cpu) +
                        " 5 6 7 8 9 10\n";
        const auto reading = parse_proc_stat(text + "intr 1\n");
        ASSERT_TRUE(reading);
        ASSERT_EQ(reading->cpus.size(), 4096U);
        EXPECT_TRUE(reading->list_ended);
        for (std::uint32_t cpu = 0; cpu < 4096; cpu++)
                expect_ticks(reading->cpus[cpu], {cpu, cpu, 5, 2, cpu + 32});
}

TEST(ProcStat, ReadsTheFourColumnsOfOldKernels) {
        const auto reading = parse_proc_stat("cpu  2 0 1 7\ncpu0 2 0 1 7\nintr 1\n");
        ASSERT_TRUE(reading);
        expect_ticks(reading->cpus.at(0), {0, 7, 0, 0, 10});
}

TEST(ProcStat, IgnoresColumnsThatNewKernelsMayAdd) {
        const auto reading = parse_proc_stat("cpu0 1 1 1 1 1 1 1 1 9 9 9 9 9 9\nintr 1\n");
        ASSERT_TRUE(reading);
        EXPECT_EQ(reading->cpus.at(0).total, 8U);
}

TEST(ProcStat, RefusesFewerThanFourColumns) {
        for (const auto* text :
             {"cpu0\n", "cpu0 \n", "cpu0 1 2 3\n", "cpu0 1 2 3 \n", "cpu0 1 2 3 4\ncpu1 1 2 3\n"})
                EXPECT_FALSE(parse_proc_stat(text)) << text;
}

TEST(ProcStat, ReadsTheLargestNumberAndRefusesLargerOnes) {
        const auto reading = parse_proc_stat("cpu0 0 0 0 18446744073709551615 0\nintr 1\n");
        ASSERT_TRUE(reading);
        EXPECT_EQ(reading->cpus.at(0).idle, UINT64_MAX);
        EXPECT_FALSE(parse_proc_stat("cpu0 0 0 0 18446744073709551616 0\nintr 1\n"));
        EXPECT_FALSE(parse_proc_stat("cpu0 0 0 0 99999999999999999999999999999999 0\nintr 1\n"));
}

TEST(ProcStat, RefusesCpuNumbersAboveTheLimit) {
        EXPECT_TRUE(parse_proc_stat("cpu65535 1 1 1 1\nintr 1\n"));
        EXPECT_FALSE(parse_proc_stat("cpu65536 1 1 1 1\nintr 1\n"));
        EXPECT_FALSE(parse_proc_stat("cpu4294967296 1 1 1 1\nintr 1\n"));
}

TEST(ProcStat, RefusesTextWithoutItsLastNewline) {
        EXPECT_FALSE(parse_proc_stat("cpu0 1 2 3 4"));
        EXPECT_FALSE(parse_proc_stat("cpu0 1 2 3 4\nintr 1"));
        EXPECT_FALSE(parse_proc_stat(""));
}

TEST(ProcStat, TellsWhetherTheListWasFollowedByAnotherLine) {
        EXPECT_FALSE(parse_proc_stat("cpu0 1 2 3 4\n")->list_ended);
        EXPECT_TRUE(parse_proc_stat("cpu0 1 2 3 4\nintr 1\n")->list_ended);
}

TEST(ProcStat, NeverTakesACutFileForAWholeOneExceptAtLineEnds) {
        const auto whole = parse_proc_stat(kSmall);
        ASSERT_TRUE(whole);
        for (std::size_t size = 0; size <= kSmall.size(); size++) {
                SCOPED_TRACE(size);
                const std::string cut(kSmall.substr(0, size));  // its own buffer: no reading behind
                const auto reading = parse_proc_stat(cut);
                if (!reading)
                        continue;
                EXPECT_EQ(cut.back(), '\n');
                EXPECT_EQ(reading->list_ended, cut.find("intr") != cut.npos);
                ASSERT_LE(reading->cpus.size(), whole->cpus.size());
                EXPECT_TRUE(!reading->list_ended || reading->cpus.size() == 2);
                for (std::size_t i = 0; i < reading->cpus.size(); i++)
                        expect_ticks(reading->cpus[i], whole->cpus[i]);
        }
}

TEST(ProcStat, RefusesACpuThatComesTwice) {
        EXPECT_FALSE(parse_proc_stat("cpu0 1 2 3 4\ncpu0 1 2 3 4\nintr 1\n"));
        EXPECT_FALSE(parse_proc_stat("cpu0 1 2 3 4\ncpu1 1 2 3 4\ncpu0 9 9 9 9\nintr 1\n"));
}

TEST(ProcStat, RefusesTextWithoutAnyCpu) {
        for (const auto* text : {"\n", "cpu  1 2 3 4\n", "cpu  1 2 3 4\nintr 1\n", "intr 1\n",
                                 "cpufreq 1 2 3 4\n", "CPU0 1 2 3 4\n", " cpu0 1 2 3 4\n", "cpu\n"})
                EXPECT_FALSE(parse_proc_stat(text)) << text;
}

TEST(ProcStat, RefusesColumnsThatAreNoNumbers) {
        for (const auto* text : {"cpu0 1 2 3 4x\n", "cpu0 1 2 3 -4\n", "cpu0 1 2 3 +4\n",
                                 "cpu0 1 2 3 4.5\n", "cpu0 1 2 3 4 nan\n", "cpu0\t1\t2\t3\t4\n",
                                 "cpu0x 1 2 3 4\n", "cpu0 1 2 3 4\r\n", "cpu0 1,2,3,4,5\n"})
                EXPECT_FALSE(parse_proc_stat(text)) << text;
        EXPECT_FALSE(parse_proc_stat(std::string_view("cpu0 1 2 3 4\0 5\n", 16)));
}

TEST(ProcStat, DoesNotLookBehindTheEndOfTheList) {
        const auto reading = parse_proc_stat("cpu0 1 2 3 4\nintr 1\ncpu1 broken\n");
        ASSERT_TRUE(reading);
        EXPECT_EQ(numbers(*reading), (std::vector<std::uint32_t>{0}));
}

}  // namespace
}  // namespace governor::probe
