// SPDX-License-Identifier: MIT
// One user's label does not make the table unreadable for others.
#include "render/client_row.hpp"

#include "render/columns.hpp"

#include <gtest/gtest.h>
#include <string>

namespace ctl::render {
namespace {

TEST(ClientRow, CutsALabelThatIsLong) {
        governor::v1::Client client;
        client.set_pid(1);
        for (const std::string& label :
             {std::string(63, 'x'), std::string("日本語日本語日本語日本語日本語日本語")}) {
                client.set_label(label);
                const auto cells = client_row(client, "root");
                EXPECT_LE(width_of(cells[2]), kLabelWidth);
                EXPECT_TRUE(cells[2].ends_with("~")) << cells[2];
        }
        client.set_label("Größe");
        EXPECT_EQ(client_row(client, "root")[2], "Größe");
}

governor::v1::Client client_of(std::uint64_t id, std::uint64_t tree) {
        governor::v1::Client client;
        client.set_id(id);
        client.set_pid(static_cast<std::uint32_t>(id));
        client.set_tree(tree);
        client.set_label("p" + std::to_string(id));
        client.set_reason("fair share");
        return client;
}

TEST(ClientRow, SaysWhatATreeConsistsOfAndIndentsItsPrograms) {
        auto holder = client_of(1, 1);
        holder.set_processes(5);
        holder.set_acts("nice 19");
        EXPECT_EQ(client_row(holder, "root")[2], "p1");
        EXPECT_EQ(client_row(holder, "root").back(), "fair share; tree, 5 processes; nice 19");
        EXPECT_EQ(client_row(client_of(2, 1), "root")[2], "  p2");
        EXPECT_EQ(client_row(client_of(3, 0), "root")[2], "p3");
        EXPECT_EQ(client_row(client_of(2, 1), "root").back(), "fair share");
}

TEST(ClientRow, OfAProgramOfATreeIsBehindItsHoldersRow) {
        const auto outside = client_of(2, 0);
        const auto holder = client_of(1, 1);
        const auto member = client_of(3, 1);
        const auto orphan = client_of(4, 9);
        EXPECT_EQ(trees_together({&member, &outside, &holder, &orphan}),
                  (std::vector<const governor::v1::Client*>{&outside, &holder, &member, &orphan}));
}

}  // namespace
}  // namespace ctl::render
