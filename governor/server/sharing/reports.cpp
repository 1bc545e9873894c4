// SPDX-License-Identifier: MIT
// Arena by arena.
#include "server/sharing/reports.hpp"

#include <algorithm>

namespace governor::server {

namespace {

struct Read {
        const Arena* arena;
        std::uint32_t end;  // of the slots that are asked for
        std::vector<evidence::Report> said;
};

/// An account has a handful of arenas.
Read& read_of(std::vector<Read>& reads, const Arena* arena) {
        const auto found = std::ranges::find(reads, arena, &Read::arena);
        return found != reads.end() ? *found : reads.emplace_back(Read{arena, 0, {}});
}

/// Epochs of the slot wrap around; those of before the lease are none of its own.
std::optional<evidence::Report> report_of(const Lease& lease, evidence::Report said) {
        if (said.epoch == 0 && said.regions == 0 && said.progress_total == 0)
                return std::nullopt;
        said.epoch = static_cast<std::uint32_t>(said.epoch) - lease.epoch_offset;
        return said;
}

}  // namespace

std::vector<std::optional<evidence::Report>> Reports::reports(std::span<const ProgramId> programs) {
        std::vector<const Lease*> leases;
        leases.reserve(programs.size());
        std::vector<Read> reads;
        for (const auto id : programs) {
                const auto* lease = leases.emplace_back(leases_.find(id));
                if (lease == nullptr)
                        continue;
                auto& end = read_of(reads, lease->place.arena).end;
                end = std::max(end, lease->place.slot + 1);
        }
        for (auto& read : reads)
                read.said = read.arena->reports(read.end);
        std::vector<std::optional<evidence::Report>> reports;
        reports.reserve(leases.size());
        for (const auto* lease : leases) {
                auto& report = reports.emplace_back();
                if (lease != nullptr)
                        report = report_of(
                                *lease, read_of(reads, lease->place.arena).said[lease->place.slot]);
        }
        return reports;
}

}  // namespace governor::server
