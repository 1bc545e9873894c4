// SPDX-License-Identifier: MIT
// Arena by arena.
#include "server/sharing/reports.hpp"

#include <algorithm>
#include <unordered_map>

namespace governor::server {

namespace {

struct Read {
        std::uint32_t end = 0;  // of the slots that are asked for
        std::vector<evidence::Report> said;
};

/// Epochs of the slot wrap around. Those of before the lease are of the program that had the slot
/// before, as is all else that was said with them: the lease's has said nothing yet. 0 is of none.
evidence::Report report_of(const Lease& lease, evidence::Report said) {
        const auto epoch = static_cast<std::uint32_t>(said.epoch);
        if (epoch != 0 && static_cast<std::int32_t>(epoch - lease.place.epoch) < 0)
                return {};
        said.epoch = epoch != 0 ? epoch - lease.epoch_offset : 0;
        return said;
}

}  // namespace

std::vector<std::optional<evidence::Report>> Reports::reports(std::span<const ProgramId> programs) {
        struct Asked {
                const Lease* lease;
                const Read* read;
        };
        std::vector<Asked> asked;
        asked.reserve(programs.size());
        std::unordered_map<const Arena*, Read> reads;  // which stay where they are
        for (const auto id : programs) {
                const auto* lease = leases_.find(id);
                if (lease == nullptr) {
                        asked.push_back({nullptr, nullptr});
                        continue;
                }
                auto& read = reads[lease->place.arena];
                read.end = std::max(read.end, lease->place.slot + 1);
                asked.push_back({lease, &read});
        }
        for (auto& [arena, read] : reads)
                read.said = arena->reports(read.end);
        std::vector<std::optional<evidence::Report>> reports;
        reports.reserve(asked.size());
        for (const auto& [lease, read] : asked) {
                auto& report = reports.emplace_back();
                if (lease != nullptr)
                        report = report_of(*lease, read->said[lease->place.slot]);
        }
        return reports;
}

}  // namespace governor::server
