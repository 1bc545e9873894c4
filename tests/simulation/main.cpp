
#include "simulation/checks/invariants.hpp"
#include "simulation/policies/policies.hpp"
#include "simulation/report/run_report.hpp"
#include "simulation/scenario/generator.hpp"
#include "simulation/scenario/quantities.hpp"
#include "simulation/scenario/scenario_file.hpp"
#include <chrono>
#include <cstdio>
#include <cstring>
#include <map>
int main(int argc, char** argv) {
        if (!strcmp(argv[1], "seeds")) {
                std::map<std::string, int> count;
                int bad = 0;
                const auto* pol = simulation::find_policy(argc > 4 ? argv[4] : "fair");
                std::map<int, int> hist;
                double worst = 0;
                auto t00 = std::chrono::steady_clock::now();
                for (long s = atol(argv[2]); s < atol(argv[3]); s++) {
                        auto sc = simulation::random_scenario(s);
                        auto t0 = std::chrono::steady_clock::now();
                        auto v = simulation::broken_invariants(sc, pol->decide);
                        double ms = std::chrono::duration<double, std::milli>(
                                            std::chrono::steady_clock::now() - t0)
                                            .count();
                        if (ms > 100) {
                                std::printf("seed %ld took %.0f ms: %u cpus\n", s, ms,
                                            sc.machine.cpus);
                        }
                        worst = std::max(worst, ms);
                        if (!v.empty()) {
                                bad++;
                                std::puts(v[0].c_str());
                                auto k = v[0].substr(v[0].find(" s: ") + 4);
                                count[k.substr(0, k.find(':'))]++;
                        }
                }
                std::printf("%d bad, %.1f s, worst %.0f ms\n", bad,
                            std::chrono::duration<double>(std::chrono::steady_clock::now() - t00)
                                    .count(),
                            worst);
                for (auto& [k, n] : count)
                        std::printf("  %s %d\n", k.c_str(), n);
                return 0;
        }
        simulation::Scenario sc;
        if (!strcmp(argv[1], "seed")) {
                sc = simulation::random_scenario(atol(argv[2]));
                std::puts(simulation::write_scenario(sc).c_str());
        } else {
                auto s = simulation::load_scenario(argv[1]);
                if (!s) {
                        for (auto& e : s.error())
                                std::puts(e.text().c_str());
                        return 2;
                }
                sc = *s;
        }
        auto r = simulation::report(sc, "fair", governor::policy::fair::decide);
        for (auto& l : r.trace.lives) {
                std::printf("%s %.3f..%.3f cpu %.3f\n", l.name.c_str(),
                            double(l.started.count()) / 1e9,
                            l.ended ? double(l.ended->count()) / 1e9 : -1, l.cpu_s);
                for (auto& g : l.grants)
                        std::printf("   %.3f %u %s limit %d share %u bound %u\n",
                                    double(g.at.count()) / 1e9, g.threads,
                                    governor::policy::format_cpu_list(g.cpus.to_set()).c_str(),
                                    int(g.reason.limit), g.reason.share, g.reason.bound);
        }
        for (auto& f : simulation::figures())
                std::printf("%s %g\n", std::string(f.name).c_str(), r.figures.*(f.value));
        for (auto& f : r.failures)
                std::puts(f.c_str());
}
