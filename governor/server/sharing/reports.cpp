// SPDX-License-Identifier: MIT
// Arena by arena.
#include "server/sharing/reports.hpp"

#include <algorithm>
#include <functional>
#include <utility>

namespace governor::server {

bool Reports::take(registry::Clients& clients, const Lease& lease, evidence::Report report,
                   TimePoint now) const {
        if (report.epoch == 0 && report.regions == 0 && report.progress_total == 0)
                return false;  // it does not report
        // Epochs of the slot wrap around; those of before the lease are none of ours.
        report.epoch = static_cast<std::uint32_t>(report.epoch) - lease.epoch_offset;
        return clients.report(lease.id, report, now);
}

bool Reports::take_all(registry::Clients& clients, TimePoint now) {
        struct Read {
                const Arena* arena;
                std::uint32_t end;
                std::vector<evidence::Report> said;
        };
        std::vector<Read> reads;  // an account has a handful of arenas
        const auto read_of = [&](const Arena* arena) -> Read& {
                auto it = std::ranges::find(reads, arena, &Read::arena);
                return it != reads.end() ? *it : reads.emplace_back(Read{arena, 0, {}});
        };
        std::vector<const Lease*> leases;
        leases.reserve(leases_.size());
        leases_.for_each([&](const Lease& lease) {
                leases.push_back(&lease);
                auto& end = read_of(lease.place.arena).end;
                end = std::max(end, lease.place.slot + 1);
        });
        for (auto& read : reads)
                read.said = read.arena->reports(read.end);
        bool matters = false;
        for (const auto* lease : leases)
                matters = take(clients, *lease, read_of(lease->place.arena).said[lease->place.slot],
                               now) ||
                          matters;
        return matters;
}

void Reports::decided(std::span<const ProgramId> changed) {
        changed_.assign(changed.begin(), changed.end());
        found_ = false;
}

void Reports::find_waited_for(const registry::Clients& clients) {
        waited_.clear();
        std::ranges::sort(changed_);
        leases_.for_each([&](const Lease& lease) {
                if (clients.is_waited_for(lease.id) ||
                    std::ranges::binary_search(changed_, lease.id))
                        waited_.push_back({lease.id, lease.place, {}});
        });
        std::ranges::sort(waited_, std::less<>(), [](const Waited& waited) {
                return std::pair(waited.place.arena, waited.place.slot);
        });
        found_ = true;
}

bool Reports::take_waited_for(registry::Clients& clients, TimePoint now) {
        if (!found_)
                find_waited_for(clients);
        bool matters = false;
        for (auto first = waited_.begin(); first != waited_.end();) {
                const auto* arena = first->place.arena;
                const auto end = std::find_if(first, waited_.end(), [&](const Waited& waited) {
                        return waited.place.arena != arena;
                });
                const auto said = arena->reports((end - 1)->place.slot + 1);
                for (; first != end; ++first) {
                        const auto& report = said[first->place.slot];
                        if (first->last == report)
                                continue;
                        first->last = report;
                        if (const auto* lease = leases_.find(first->id))
                                matters = take(clients, *lease, report, now) || matters;
                }
        }
        return matters;
}

}  // namespace governor::server
