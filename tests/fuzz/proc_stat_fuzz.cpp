// SPDX-License-Identifier: MIT
// The reading is sorted, and idle ratios are ratios, whatever /proc/stat says. The input is cut in
// two, the first reading and the one after it.
#include "probe/idle_history.hpp"
#include "probe/proc_stat.hpp"
#include "require.hpp"

#include <algorithm>
#include <functional>

using namespace governor;
using std::chrono::milliseconds;

namespace {

void check(const probe::StatReading& reading, std::string_view text) {
        require(!reading.cpus.empty(), "a reading has a CPU");
        require(std::ranges::adjacent_find(reading.cpus, std::greater_equal{},
                                           &probe::CpuTicks::cpu) == reading.cpus.end(),
                "CPUs ascend and none comes twice");
        require(reading.cpus.back().cpu < policy::kCpuNumberLimit,
                "CPU numbers are below the limit");
        require(text.ends_with('\n'), "a reading ends at the end of a line");
        require(static_cast<std::size_t>(std::ranges::count(text, '\n')) >=
                        reading.cpus.size() + (reading.list_ended ? 1 : 0),
                "each CPU has a line");
}

void check(const policy::Sample& sample) {
        for (const auto& cpu : sample.cpus) {
                require(cpu.idle_permyriad.value_or(0) <= 10000, "a ratio is at most everything");
                require(cpu.nice_permyriad <= 10000 - cpu.idle_permyriad.value_or(10000),
                        "niced time is busy time");
                require(cpu.stolen_permyriad <= 10000 - cpu.idle_permyriad.value_or(10000),
                        "stolen time is busy time");
        }
}

void feed(probe::TimeBase base, const std::vector<std::string_view>& texts) {
        probe::IdleHistory history(base, 100);
        probe::TimePoint now{};
        for (const auto text : texts) {
                auto reading = probe::parse_proc_stat(text);
                if (!reading)
                        continue;
                check(*reading, text);
                const auto cpus = reading->cpus.size();
                if (history.add(std::move(*reading), now, milliseconds{1000}))
                        require(history.sample().cpus.size() == cpus,
                                "a sample has the CPUs of its reading");
                check(history.sample());
                now += milliseconds{1000};
        }
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
        const std::string_view text(reinterpret_cast<const char*>(data), size);
        const auto cut = text.find("\n\n");
        const auto first = text.substr(0, cut == text.npos ? cut : cut + 1);
        const auto second = cut == text.npos ? text : text.substr(cut + 2);
        for (const auto base : {probe::TimeBase::Wall, probe::TimeBase::Ticks})
                feed(base, {first, second, first});
        return 0;
}
