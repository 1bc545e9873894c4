// SPDX-License-Identifier: MIT
// Sections [program NAME] become rules.
#include "config/apply.hpp"
#include "config/keys.hpp"

#include <gtest/gtest.h>

namespace governor::config {
namespace {

using policy::fair::Class;

struct Applied {
        Settings settings;
        Errors errors;
};

tl::expected<std::uint32_t, std::string> two_users(const std::string& name) {
        if (name == "anna")
                return 1000U;
        if (name == "7up")
                return 7U;
        return tl::unexpected(std::string("no such user"));
}

Applied apply(std::string_view text) {
        Applied out;
        config::apply(text, "f.conf", out.settings, out.errors, two_users);
        if (out.errors.empty())
                config::check(out.settings, out.errors);
        return out;
}

policy::fair::Rule only_rule(std::string_view text) {
        const auto out = apply(text);
        EXPECT_EQ(out.errors, Errors{});
        EXPECT_EQ(out.settings.programs.size(), 1U);
        return out.settings.programs.empty() ? policy::fair::Rule{} : out.settings.programs.front();
}

std::string only_error(std::string_view text) {
        const auto out = apply(text);
        EXPECT_EQ(out.errors.size(), 1U);
        return out.errors.empty() ? "" : out.errors.front().text();
}

/// The error of a rule that says just this.
std::string error_of(const std::string& assignment) {
        return only_error("[program x]\n" + assignment + "\n");
}

TEST(ProgramSection, TakesEveryKey) {
        const auto rule = only_rule("[program nightly]\n"
                                    "user = anna\n"
                                    "label = night*\n"
                                    "executable = /opt/*/solve\n"
                                    "weight = 50\n"
                                    "min = 2\n"
                                    "max = 8\n"
                                    "class = batch\n"
                                    "ignore = no\n"
                                    "teams = adapt\n");
        EXPECT_EQ(rule.name, "nightly");
        EXPECT_EQ(rule.uid, 1000U);
        EXPECT_EQ(rule.label, "night*");
        EXPECT_EQ(rule.executable, "/opt/*/solve");
        EXPECT_EQ(rule.weight, 50U);
        EXPECT_EQ(rule.min, 2U);
        EXPECT_EQ(rule.max, 8U);
        EXPECT_EQ(rule.scheduling_class, Class::Batch);
        EXPECT_EQ(rule.ignore, false);
        EXPECT_EQ(rule.adapts, true);
        for (const auto& key : program_keys())
                EXPECT_FALSE(key.get(rule).empty()) << key.name << " is missing in this test";
}

TEST(ProgramSection, SetsOnlyWhatItSays) {
        policy::fair::Rule expected;
        expected.name = "x";
        expected.ignore = true;
        EXPECT_EQ(only_rule("[program x]\nignore = yes\n"), expected);
}

TEST(ProgramSection, ReadsBackWhatItsKeysSay) {
        const auto rule = only_rule("[program x]\nuser = anna\nlabel = [!a]?\nexecutable = a b\n"
                                    "weight = 0010\nmin = 1\nmax = 1\nclass = interactive\n"
                                    "ignore = yes\nteams = keep\n");
        policy::fair::Rule again;
        again.name = rule.name;
        for (const auto& key : program_keys())
                EXPECT_TRUE(key.set(again, key.get(rule))) << key.name;
        EXPECT_EQ(again, rule);
}

TEST(ProgramSection, MayBeAboutTeamsAlone) {
        policy::fair::Rule expected;
        expected.name = "x";
        expected.adapts = true;
        EXPECT_EQ(only_rule("[program x]\nteams = adapt\n"), expected);
        expected.adapts = false;
        EXPECT_EQ(only_rule("[program x]\nteams = keep\n"), expected);
}

TEST(ProgramSection, StaysInTheOrderOfTheText) {
        const auto out = apply("[program b]\nmax = 1\n[governor]\nthreshold = 9%\n"
                               "[program a]\nmax = 2\n");
        EXPECT_EQ(out.errors, Errors{});
        ASSERT_EQ(out.settings.programs.size(), 2U);
        EXPECT_EQ(out.settings.programs[0].name, "b");
        EXPECT_EQ(out.settings.programs[1].name, "a");
        EXPECT_EQ(out.settings.origins.at("program b"), (Origin{"f.conf", 1}));
        EXPECT_EQ(out.settings.origins.at("program a.max"), (Origin{"f.conf", 6}));
}

TEST(ProgramSection, NeedsANameOfLettersAndDigits) {
        const std::string longest(64, 'n');
        EXPECT_EQ(only_rule("[program A-z_09]\nmax = 1\n").name, "A-z_09");
        EXPECT_EQ(only_rule("[program " + longest + "]\nmax = 1\n").name, longest);
        EXPECT_EQ(
                only_error("[program]\nmax = 1\n"),
                "f.conf:1: [program] has no name that is accepted; accepted: [program NAME], NAME "
                "of 1 to 64 letters, digits, '-' or '_'");
        for (const std::string name :
             {"", "a b", " a", "a ", "\xc3\xa4", "a/b", "a,b", "a]b", "a.b"})
                EXPECT_FALSE(apply("[program " + name + "]\nmax = 1\n").errors.empty()) << name;
        EXPECT_FALSE(apply("[program n" + longest + "]\nmax = 1\n").errors.empty());
        EXPECT_EQ(only_error("[programx]\nmax = 1\n"),
                  "f.conf:1: unknown section [programx]; known: [governor], [program NAME]");
}

TEST(ProgramSection, IsNotTakenForAKeyOfAnotherRule) {
        const auto out = apply("[program a]\nmax = 1\n[program a.max]\nmax = 1\n");
        EXPECT_EQ(out.errors.size(), 1U);
}

TEST(ProgramSection, MayComeOnlyOnceInAFile) {
        EXPECT_EQ(only_error("[program x]\nmax = 1\n[program y]\nmax = 1\n[program x]\nmin = 1\n"),
                  "f.conf:5: [program x] is in line 1 already; give this rule another name");
}

TEST(ProgramSection, MustHaveAnEffect) {
        for (const auto* text : {"[program x]\n", "[program x]\nuser = 0\nlabel = a\n"})
                EXPECT_EQ(only_error(text), "f.conf:1: [program x] has no effect; set weight, min, "
                                            "max, class, ignore or teams");
}

TEST(ProgramSection, MayNotGuaranteeMoreThanItAllows) {
        EXPECT_EQ(only_error("[program x]\nmax = 4\nmin = 5\n"),
                  "f.conf:3: `min = 5` is above `max = 4` of f.conf:2");
        EXPECT_EQ(only_rule("[program x]\nmax = 4\nmin = 4\n").min, 4U);
}

TEST(ProgramSection, NamesTheKnownKeysForAnUnknownOne) {
        EXPECT_EQ(error_of("threshold = 5%"),
                  "f.conf:2: unknown key `threshold`; known: user, label, executable, weight, min, "
                  "max, class, ignore, teams");
}

TEST(ProgramSection, NamesTheAcceptedRangeOfAValue) {
        EXPECT_EQ(error_of("weight = 0"),
                  "f.conf:2: `weight = 0` is not accepted; accepted: 1 .. 10000");
        EXPECT_EQ(error_of("class = urgent"),
                  "f.conf:2: `class = urgent` is not accepted; accepted: interactive or batch");
        EXPECT_EQ(error_of("teams = yes"),
                  "f.conf:2: `teams = yes` is not accepted; accepted: adapt or keep");
        EXPECT_EQ(error_of("label ="), "f.conf:2: `label = ` is not accepted; accepted: a shell "
                                       "pattern (* ? [...]) of printable ASCII");
}

TEST(ProgramSection, RefusesValuesOutOfRange) {
        for (const auto* assignment : {"weight = 10001",
                                       "weight = -1",
                                       "weight = 50%",
                                       "min = 0",
                                       "min = 65537",
                                       "max = 0",
                                       "max = 65537",
                                       "max =",
                                       "class = Batch",
                                       "class =",
                                       "ignore = true",
                                       "ignore = 1",
                                       "teams =",
                                       "teams = Adapt",
                                       "teams = adapt keep",
                                       "label = \xc3\xa4*",
                                       "executable = a\tb",
                                       "user = 4294967295",
                                       "user =",
                                       "user = 99999999999"})
                EXPECT_NE(error_of(assignment).find("accepted: "), std::string::npos) << assignment;
}

TEST(ProgramSection, AcceptsTheEndsOfEveryRange) {
        for (const auto* text :
             {"weight = 1", "weight = 10000", "min = 1", "min = 65536", "max = 1", "max = 65536",
              "class = interactive", "ignore = no", "teams = adapt", "teams = keep"})
                EXPECT_EQ(apply(std::string("[program x]\n") + text + "\n").errors, Errors{})
                        << text;
}

TEST(ProgramPattern, MayNotBeOneThatNobodyMeans) {
        const std::string open =
                " is not accepted: its `[` has no `]`; write `\\[` for the bracket "
                "itself";
        for (const std::string value : {"[abc", "a[", "[]", "[!]", "*[a-", "[a]b[c"}) {
                EXPECT_EQ(error_of("label = " + value), "f.conf:2: `label = " + value + "`" + open);
                EXPECT_EQ(error_of("executable = " + value),
                          "f.conf:2: `executable = " + value + "`" + open);
        }
        EXPECT_EQ(error_of("label = v[9-0]"),
                  "f.conf:2: `label = v[9-0]` is not accepted: `[9-0]` fits nothing; write the "
                  "lower end of a range first");
}

TEST(ProgramPattern, OfAPathMustBeOneThatTheKernelCouldName) {
        const auto why = [](const std::string& value) {
                const auto error = error_of("executable = " + value);
                const auto start = "f.conf:2: `executable = " + value + "` is not accepted: ";
                EXPECT_TRUE(error.starts_with(start)) << error;
                return error.substr(std::min(start.size(), error.size()));
        };
        EXPECT_EQ(why("solver/x"), "with a `/` in it it is a whole path, and that begins with `/`; "
                                   "write `*/solver/x` for one in any folder");
        EXPECT_EQ(why("/opt/solver/"),
                  "no program's path ends with `/`; write `/opt/solver/*` for all below");
        for (const auto* value : {"./x", "~/x", "\\a/x", "[abc]/x"})
                EXPECT_TRUE(why(value).starts_with("with a `/` in it")) << value;
        for (const auto* value : {"/", "*/", "/a\\/"})
                EXPECT_TRUE(why(value).starts_with("no program's path ends with")) << value;
        for (const auto* value : {"/a//b", "/a/./b", "/a/../b", "/a/..", "/a/.", "*//b"})
                EXPECT_TRUE(why(value).starts_with("no program's path has `/")) << value;
}

TEST(ProgramPattern, IsAcceptedIfItCanFit) {
        for (const std::string value :
             {"x", "*", "/opt/*", "*/x", "?opt/x", "[!a]opt/x", "[/]opt/x", "\\/opt/x", "/a/.b/..c",
              "/a/?", "/a[/]/b", "\\[x", "[]x]", "[a-]",
              "/a/*/"
              "b"})
                EXPECT_EQ(
                        only_rule("[program x]\nmax = 1\nexecutable = " + value + "\n").executable,
                        value);
        for (const std::string value : {"solver/x", "/opt/", "//", "a\\[b"})
                EXPECT_EQ(only_rule("[program x]\nmax = 1\nlabel = " + value + "\n").label, value);
}

TEST(SettingsWithoutEffect, AreNotedUnderTheThreshold) {
        const std::string threshold = "[governor]\npolicy = threshold\n";
        const auto notes_of = [&](const std::string& text) {
                return notes(apply(threshold + text).settings);
        };
        using Texts = std::vector<std::string>;
        EXPECT_EQ(notes_of("threshold = 7%\nreserve = 1\n"), Texts{});
        EXPECT_EQ(notes_of("handover_max = 1s\nforeign_max = 7%\nmode = observe\n"
                           "[program x]\nmax = 1\n"),
                  (Texts{"f.conf:5: `mode` has no effect under `policy = threshold`",
                         "f.conf:4: `foreign_max` has no effect under `policy = threshold`",
                         "f.conf:3: `handover_max` has no effect under `policy = threshold`",
                         "f.conf:6: [program x] has no effect under `policy = threshold`"}));
        const std::string two = "[program y]\nmax = 1\n[program x]\nmax = 1\n";
        EXPECT_EQ(notes_of(two),
                  (Texts{"f.conf:3: [program y] and 1 more rule have no effect under "
                         "`policy = threshold`"}));
        EXPECT_EQ(notes_of(two + "[program z]\nmax = 1\n"),
                  (Texts{"f.conf:3: [program y] and 2 more rules have no effect under `policy = "
                         "threshold`"}));
}

TEST(SettingsWithoutEffect, AreNoneUnderTheFairPolicy) {
        const std::string text = "handover_max = 1s\nforeign_max = 7%\nmode = observe\n"
                                 "[program x]\nmax = 1\n";
        EXPECT_EQ(notes(apply("[governor]\n" + text).settings), std::vector<std::string>{});
        EXPECT_EQ(notes(apply("[governor]\npolicy = fair\n" + text).settings),
                  std::vector<std::string>{});
}

TEST(UserKey, IsANameThatIsLookedUpOrANumberThatIsNot) {
        const auto user = [](const std::string& name) {
                return only_rule("[program x]\nignore = yes\nuser = " + name + "\n").uid;
        };
        EXPECT_EQ(user("anna"), 1000U);
        EXPECT_EQ(user("7up"), 7U);
        EXPECT_EQ(user("1234"), 1234U);
        EXPECT_EQ(user("0"), 0U);
        EXPECT_EQ(user("4294967294"), 4294967294U);
        EXPECT_EQ(error_of("user = bert"), "f.conf:2: `user = bert`: no such user");
}

TEST(UserKey, KnowsTheUsersOfThisHost) {
        EXPECT_EQ(find_user("root"), 0U);
        const auto nobody = find_user("no such user here");
        ASSERT_FALSE(nobody.has_value());
        EXPECT_EQ(nobody.error(), "no such user");
}

}  // namespace
}  // namespace governor::config
