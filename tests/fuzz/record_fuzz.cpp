// SPDX-License-Identifier: MIT
// A record of changes outside names nothing that is never done, whatever it says. A record that is
// understood is written as it was read. The first line may be that of an autogroup.
#include "outside/autogroup.hpp"
#include "outside/choose.hpp"
#include "outside/record.hpp"
#include "require.hpp"

#include <string_view>

using namespace ctl::outside;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
        const std::string_view text(reinterpret_cast<const char*>(data), size);
        (void)parse_autogroup(text);
        const auto record = parse_record(text);
        if (!record)
                return 0;
        require(record->autogroups.size() <= kMostAutogroups, "there is an end to autogroups");
        for (const auto& group : record->autogroups)
                require(group.was >= 0 && group.was < kYieldingNice, "it can be given back");
        require(!record->narrowed || record->narrowed->open.contains(record->narrowed->cpu),
                "a tree is held to a CPU that it may use");
        const auto written = to_text(*record);
        require(written.size() <= kLargestRecord, "what is read can be written");
        require(parse_record(written) == record, "what is written is read again", written);
        return 0;
}
