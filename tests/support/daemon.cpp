// SPDX-License-Identifier: MIT
// Starting and stopping governord.
#include "support/daemon.hpp"

#include "support/wire.hpp"

#include <csignal>
#include <stdexcept>
#include <unistd.h>
#include <utility>

namespace test_support {

void FakeMachine::runs(const std::vector<unsigned>& idle) {
        cpus_.resize(idle.size());
        std::string text = "cpu  1 2 3 4 5 6 7 8 9 10\n";
        for (std::size_t cpu = 0; cpu < idle.size(); cpu++) {
                auto& ticks = cpus_[cpu];
                ticks.idle += idle[cpu];
                ticks.busy += 100 - idle[cpu];
                text += "cpu" + std::to_string(cpu) + " " + std::to_string(ticks.busy) + " 0 0 " +
                        std::to_string(ticks.idle) + " 0 0 0 0 0 0\n";
        }
        write(text + "intr 1 2 3\n");
}

void FakeMachine::process(pid_t pid, const std::string& cpus) const {
        const auto number = std::to_string(pid);
        directory_.write("proc/" + number + "/task/" + number + "/status",
                         "Name:\tprogram\nCpus_allowed_list:\t" + cpus + "\n");
}

Daemon::Daemon(std::string root, const std::string& configuration)
        : root_(std::move(root)), socket_(directory_.path() / "governord.sock") {
        configure(configuration);
}

void Daemon::configure(const std::string& configuration) const {
        directory_.write("governord.conf", configuration);
}

void Daemon::start(const std::vector<std::string>& more_arguments) {
        Command command{
                {GOVERNORD, "--socket", socket_, "--config", directory_.path() / "governord.conf"},
                {},
                uid_};
        if (!root_.empty())
                command.arguments.insert(command.arguments.end(), {"--root", root_});
        command.arguments.insert(command.arguments.end(), more_arguments.begin(),
                                 more_arguments.end());
        process_ = std::make_unique<Process>(command);
        if (!eventually([&] { return can_connect(socket_); }))
                throw std::runtime_error("governord does not listen: " + process_->err());
}

void Daemon::run_as(uid_t uid) {
        if (::chown(directory_.path().c_str(), uid, static_cast<gid_t>(-1)) < 0)
                throw std::runtime_error("chown");
        uid_ = uid;
}

void Daemon::kill() {
        process_->signal(SIGKILL);
        (void)process_->wait();
}

Finished ctl(const Daemon& daemon, std::vector<std::string> arguments,
             std::vector<std::string> environment) {
        std::vector<std::string> all{GOVERNORCTL, "--socket", daemon.socket()};
        all.insert(all.end(), arguments.begin(), arguments.end());
        return run({std::move(all), std::move(environment), {}});
}

}  // namespace test_support
