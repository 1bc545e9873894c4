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

}  // namespace
}  // namespace ctl::render
