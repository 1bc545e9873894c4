#include "simulation/report/run_report.hpp"
#include "simulation/scenario/quantities.hpp"
#include "simulation/scenario/scenario_file.hpp"
#include <cstdio>
int main(int, char** argv) {
        auto s = simulation::load_scenario(argv[1]);
        if (!s) {
                for (auto& e : s.error())
                        std::puts(e.text().c_str());
                return 2;
        }
        auto r = simulation::report(*s, "fair", governor::policy::fair::decide);
        for (auto& l : r.trace.lives) {
                std::printf("%s %.3f..%.3f cpu %.3f\n", l.name.c_str(),
                            double(l.started.count()) / 1e9,
                            l.ended ? double(l.ended->count()) / 1e9 : -1, l.cpu_s);
                for (auto& g : l.grants)
                        std::printf("   %.3f %u %s %d\n", double(g.at.count()) / 1e9, g.threads,
                                    governor::policy::format_cpu_list(g.cpus.to_set()).c_str(),
                                    int(g.reason.limit));
        }
        for (auto& f : simulation::figures())
                std::printf("%s %g\n", std::string(f.name).c_str(), r.figures.*(f.value));
        for (auto& f : r.failures)
                std::puts(f.c_str());
}
