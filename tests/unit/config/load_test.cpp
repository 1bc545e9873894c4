// SPDX-License-Identifier: MIT
// The configuration file, its drop-ins, and files that are not there.
#include "config/load.hpp"

#include "support/temporary_directory.hpp"

#include <filesystem>
#include <gtest/gtest.h>
#include <sys/stat.h>

namespace governor::config {
namespace {

using test_support::TemporaryDirectory;

using Texts = std::vector<std::string>;

tl::expected<std::uint32_t, std::string> nobody_is_known(const std::string& /*name*/) {
        return tl::unexpected(std::string("no such user"));
}

class ConfigurationFiles : public ::testing::Test {
protected:
        [[nodiscard]] Settings settings(bool optional = false) const {
                const auto loaded = load(path_, optional, nobody_is_known);
                for (const auto& error : loaded ? Errors{} : loaded.error())
                        ADD_FAILURE() << error.text();
                return loaded.value_or(Settings{});
        }
        [[nodiscard]] Texts errors(bool optional = false) const {
                const auto loaded = load(path_, optional, nobody_is_known);
                Texts texts;
                for (const auto& error : loaded ? Errors{} : loaded.error())
                        texts.push_back(error.text());
                return texts;
        }

        TemporaryDirectory directory_;
        std::string path_ = directory_.path("governord.conf");
};

TEST_F(ConfigurationFiles, MayBeOneFile) {
        directory_.write("governord.conf", "[governor]\nthreshold = 20%\n");
        EXPECT_EQ(settings().threshold.threshold_permyriad, 2000U);
        EXPECT_EQ(settings().origins.at("threshold"), (Origin{path_, 2}));
}

TEST_F(ConfigurationFiles, MayBeEmpty) {
        directory_.write("governord.conf", "");
        EXPECT_TRUE(settings().origins.empty());
}

TEST_F(ConfigurationFiles, MayBeMissingOnlyIfOptional) {
        EXPECT_TRUE(settings(true).origins.empty());
        EXPECT_EQ(errors(), (Texts{path_ + ": cannot be read: No such file or directory"}));
}

TEST_F(ConfigurationFiles, MayNotBeADirectory) {
        std::filesystem::create_directory(path_);
        EXPECT_EQ(errors(), (Texts{path_ + ": cannot be read: Is a directory"}));
}

TEST_F(ConfigurationFiles, MayNotHaveADirectoryAsADropIn) {
        directory_.write("governord.conf", "");
        std::filesystem::create_directories(path_ + ".d/50.conf");
        EXPECT_EQ(errors(), (Texts{path_ + ".d/50.conf: cannot be read: Is a directory"}));
}

TEST_F(ConfigurationFiles, MayNotBeALinkToItself) {
        std::filesystem::create_symlink(path_, path_);
        EXPECT_EQ(errors(true).size(), 1U);
        EXPECT_EQ(errors(false).size(), 1U);
}

TEST_F(ConfigurationFiles, MayNotHaveADropInDirectoryThatCannotBeRead) {
        directory_.write("governord.conf", "");
        directory_.write("governord.conf.d", "a file");
        EXPECT_EQ(errors().size(), 1U);
}

TEST_F(ConfigurationFiles, ThatAreFifosDoNotBlock) {
        ASSERT_EQ(::mkfifo(path_.c_str(), 0600), 0);
        EXPECT_TRUE(errors().empty()) << "a FIFO without a writer is an empty file";
}

TEST_F(ConfigurationFiles, CountWithDropInsEvenIfTheFileIsMissing) {
        directory_.write("governord.conf.d/10.conf", "[governor]\nthreshold = 20%\n");
        EXPECT_EQ(settings(true).threshold.threshold_permyriad, 2000U);
}

TEST_F(ConfigurationFiles, AreOverriddenByDropInsInTheOrderOfTheirNames) {
        directory_.write("governord.conf",
                         "[governor]\nthreshold = 10%\nperiod = 3s\nlog_level = error\n");
        directory_.write("governord.conf.d/20.conf", "[governor]\nthreshold = 20%\n");
        directory_.write("governord.conf.d/10.conf", "[governor]\nthreshold = 15%\nperiod = 2s\n");
        const auto loaded = settings();
        EXPECT_EQ(loaded.threshold.threshold_permyriad, 2000U);
        EXPECT_EQ(loaded.period, std::chrono::seconds{2});
        EXPECT_EQ(loaded.origins,
                  (std::map<std::string, Origin>{{"threshold", {path_ + ".d/20.conf", 2}},
                                                 {"period", {path_ + ".d/10.conf", 3}},
                                                 {"log_level", {path_, 4}}}));
}

TEST_F(ConfigurationFiles, ChangeRulesOfEarlierOnesInPlace) {
        directory_.write("governord.conf", "[program a]\nuser = 1\nweight = 10\n"
                                           "[program b]\nmax = 4\n");
        directory_.write("governord.conf.d/10.conf", "[program c]\nmin = 2\n"
                                                     "[program a]\nweight = 20\nmax = 8\n");
        const auto loaded = settings();
        ASSERT_EQ(loaded.programs.size(), 3U);
        EXPECT_EQ(loaded.programs[0].name, "a");
        EXPECT_EQ(loaded.programs[0].uid, 1U);
        EXPECT_EQ(loaded.programs[0].weight, 20U);
        EXPECT_EQ(loaded.programs[0].max, 8U);
        EXPECT_EQ(loaded.programs[1].name, "b");
        EXPECT_EQ(loaded.programs[2].name, "c");
        EXPECT_EQ(loaded.origins.at("program a"), (Origin{path_, 1}));
        EXPECT_EQ(loaded.origins.at("program a.user"), (Origin{path_, 2}));
        EXPECT_EQ(loaded.origins.at("program a.weight"), (Origin{path_ + ".d/10.conf", 4}));
}

TEST_F(ConfigurationFiles, MayMakeARuleTogether) {
        directory_.write("governord.conf", "[program a]\nuser = 1\n");
        directory_.write("governord.conf.d/10.conf", "[program a]\nignore = yes\n");
        EXPECT_EQ(settings().programs.size(), 1U);
}

TEST_F(ConfigurationFiles, MayNotContradictEachOther) {
        directory_.write("governord.conf", "[governor]\ncpus = 0-3\n"
                                           "[program a]\nmax = 4\n[program b]\nlabel = x\n");
        directory_.write("governord.conf.d/10.conf",
                         "[governor]\nreserve = 0-7\n[program a]\nmin = 5\n");
        EXPECT_EQ(
                errors(),
                (Texts{path_ + ".d/10.conf:2: `reserve = 0-7` leaves nothing of `cpus = 0-3` of " +
                               path_ + ":2",
                       path_ + ".d/10.conf:4: `min = 5` is above `max = 4` of " + path_ + ":4",
                       path_ + ":5: [program b] has no effect; set weight, min, max, class, "
                               "ignore or teams"}));
}

TEST_F(ConfigurationFiles, MayNotNameUsersThatDoNotExist) {
        directory_.write("governord.conf", "[program a]\nuser = ghost\nmax = 1\n");
        EXPECT_EQ(errors(), (Texts{path_ + ":2: `user = ghost`: no such user"}));
}

TEST_F(ConfigurationFiles, AreOnlyThoseNamedConf) {
        directory_.write("governord.conf", "[governor]\nthreshold = 10%\n");
        for (const auto* name : {"a.conf~", "b.conf.bak", "README", "c", "conf", ".conf", "d.CONF"})
                directory_.write(std::string("governord.conf.d/") + name, "rubbish\n");
        EXPECT_EQ(settings().threshold.threshold_permyriad, 1000U);
}

TEST_F(ConfigurationFiles, AreMaskedByALinkToNothing) {
        directory_.write("governord.conf", "[governor]\nthreshold = 10%\n");
        std::filesystem::create_directory(path_ + ".d");
        std::filesystem::create_symlink("/dev/null", path_ + ".d/50.conf");
        EXPECT_EQ(settings().threshold.threshold_permyriad, 1000U);
}

TEST_F(ConfigurationFiles, ReportTheMistakesOfAllOfThem) {
        directory_.write("governord.conf", "[governor]\nthreshold = 5\n");
        directory_.write("governord.conf.d/10.conf", "[governor]\nperiod = 1\n");
        directory_.write("governord.conf.d/20.conf", "nonsense\n");
        EXPECT_EQ(errors(),
                  (Texts{path_ + ":2: `threshold = 5` is not accepted; accepted: 0% .. 100%, with "
                                 "the sign",
                         path_ + ".d/10.conf:2: `period = 1` is not accepted; accepted: 50ms .. "
                                 "60s, with the unit",
                         path_ + ".d/20.conf:1: not of the form `key = value` or `[section]`"}));
}

TEST_F(ConfigurationFiles, AreWrongEvenIfALaterOneWouldCorrectThem) {
        directory_.write("governord.conf", "[governor]\nthreshold = 5\n");
        directory_.write("governord.conf.d/10.conf", "[governor]\nthreshold = 5%\n");
        EXPECT_EQ(errors().size(), 1U);
}

TEST_F(ConfigurationFiles, MayNotBeLinksThatLeadNowhere) {
        directory_.write("governord.conf", "");
        std::filesystem::create_directory(path_ + ".d");
        std::filesystem::create_symlink(directory_.path("gone"), path_ + ".d/50.conf");
        EXPECT_EQ(errors(),
                  (Texts{path_ + ".d/50.conf: cannot be read: No such file or directory"}));
}

TEST_F(ConfigurationFiles, MayNotBeLargerThanAMebibyte) {
        std::string comments;
        while (comments.size() < (1U << 20))
                comments += "#" + std::string(62, ' ') + "\n";
        directory_.write("governord.conf", comments);
        EXPECT_TRUE(settings().origins.empty());
        directory_.write("governord.conf", comments + "\n");
        EXPECT_EQ(errors(), (Texts{path_ + ": larger than 1 MiB"}));
}

}  // namespace
}  // namespace governor::config
