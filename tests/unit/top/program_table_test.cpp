// SPDX-License-Identifier: MIT
// The programs in the table, and their order.
#include "top/program_table.hpp"

#include "top/pictures.hpp"

#include <gtest/gtest.h>

namespace ctl::top {
namespace {

class ProgramTable : public testing::Test {
protected:
        ProgramTable() {
                picture_.users = {{1000, "ada"}, {1001, "bob"}};
                add("b", 20, 2, 500);
                add("a", 30, 8, 100);
                add("c", 10, 2, 900);
        }
        void add(const std::string& label, std::uint32_t pid, std::uint32_t granted,
                 std::uint32_t burning) {
                auto& client = add_program(picture_, pid, label, granted, "0");
                client.set_burning_millicpu(burning);
        }
        /// Their labels.
        [[nodiscard]] std::string order() const {
                std::string labels;
                for (const auto* client : chosen(picture_, controls_))
                        labels += client->label();
                return labels;
        }

        Picture picture_;
        Controls controls_;
};

TEST_F(ProgramTable, IsSortedByWhatIsAskedForAndThenByAge) {
        EXPECT_EQ(order(), "abc");
        controls_.sort = Sort::Uses;
        EXPECT_EQ(order(), "cba");
        controls_.sort = Sort::Pid;
        EXPECT_EQ(order(), "cba");
        controls_.sort = Sort::Label;
        EXPECT_EQ(order(), "abc");
        controls_.sort = Sort::Age;
        EXPECT_EQ(order(), "bac");
        controls_.reversed = true;
        EXPECT_EQ(order(), "cab");
}

TEST_F(ProgramTable, HoldsWhatTheFilterLetsThrough) {
        picture_.clients.mutable_client(2)->set_uid(1001);
        for (const auto& [filter, labels] :
             {std::pair{"b", "bc"}, {"bob", "c"}, {"30", "a"}, {"0", "abc"}, {"x", ""}}) {
                controls_.filter = filter;
                EXPECT_EQ(order(), labels) << filter;
        }
}

TEST_F(ProgramTable, DoesNotFindWhatMayNotBeKnown) {
        auto& hidden = *picture_.clients.mutable_client(0);
        hidden.set_pid(0);
        controls_.filter = "0";
        EXPECT_EQ(order(), "ac");
        controls_.filter = "ada";
        EXPECT_EQ(order(), "abc");
}

TEST_F(ProgramTable, HasAColumnForEach) {
        picture_.clients.mutable_client(1)->set_shared(true);
        const auto lines = program_table(picture_, chosen(picture_, controls_));
        ASSERT_EQ(lines.size(), 4U);
        EXPECT_EQ(lines[0], "   PID  USER  LABEL  GRANTED  USES  CPUS      REASON");
        EXPECT_EQ(lines[1], "b   30  ada   a            8   0.1  0 shared  fair share: -> 8");
        EXPECT_EQ(lines[2], "a   20  ada   b            2   0.5  0         fair share: -> 2");
}

}  // namespace
}  // namespace ctl::top
