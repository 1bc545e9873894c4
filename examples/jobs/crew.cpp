// SPDX-License-Identifier: MIT
// Where workers stay, and three pools behind one face.
#include "crew.hpp"

#include <threadcount/pool.hpp>
#include <utility>
#include <vector>

#include "pools/condition_pool.hpp"
#include "pools/cpus.hpp"
#include "pools/rated_pool.hpp"

namespace examples::jobs {
namespace {

/// Where worker i stays, for as many workers as there are CPUs: with a step of two the first half
/// of them (the cores) in turn with the second half (their other hardware threads), and so on.
std::vector<int> dealt_cpus(std::uint64_t step) {
        const auto cpus = cpus_cores_first();
        std::vector<int> dealt;

        if (step == 0)
                return dealt;
        for (std::size_t i = 0; i < cpus.size(); ++i)
                dealt.push_back(cpus[(i / step + i % step * cpus.size() / 2) % cpus.size()]);
        return dealt;
}

/// Each CPU's worth of workers: its first half has the better rate.
std::vector<RatedPlace> rated_places(const Options& options) {
        const auto dealt = dealt_cpus(options.affinity);
        const auto cpus = cpus_cores_first().size();
        std::vector<RatedPlace> places;

        for (std::size_t i = 0; i < options.workers; ++i) {
                const auto turn = i % cpus;
                places.push_back({.cpu = dealt.empty() ? -1 : dealt[turn],
                                  .rate = turn >= (cpus + 1) / 2 ? 1U : 0U});
        }
        return places;
}

class FifoCrew final : public Crew {
public:
        explicit FifoCrew(const Options& options)
                : workers_(options.workers), pool_(workers_, dealt_cpus(options.affinity)) {}
        void submit(std::function<void()> job) override { pool_.submit(std::move(job)); }
        [[nodiscard]] std::size_t workers() const override { return workers_; }

private:
        std::size_t workers_;
        ConditionPool pool_;
};

class LayeredCrew final : public Crew {
public:
        explicit LayeredCrew(const Options& options)
                : workers_(options.workers), pool_(rated_places(options)) {}
        void submit(std::function<void()> job) override { pool_.submit(std::move(job)); }
        [[nodiscard]] std::size_t workers() const override { return workers_; }

private:
        std::size_t workers_;
        RatedPool pool_;
};

/// Fewer workers than CPUs: then one for each of the first cores.
threadcount::PoolOptions pool_options(const Options& options) {
        return {.cpus = cpus_cores_first(options.workers)};
}

class OurCrew final : public Crew {
public:
        explicit OurCrew(const Options& options) : pool_(pool_options(options)) {}
        void submit(std::function<void()> job) override { pool_.submit(std::move(job)); }
        [[nodiscard]] std::size_t workers() const override { return pool_.size(); }

private:
        threadcount::Pool pool_;
};

}  // namespace

std::unique_ptr<Crew> make_crew(const Options& options) {
        switch (options.pool) {
        case PoolKind::Fifo:
                return std::make_unique<FifoCrew>(options);
        case PoolKind::Layered:
                return std::make_unique<LayeredCrew>(options);
        case PoolKind::Ours:
                break;
        }
        return std::make_unique<OurCrew>(options);
}

}  // namespace examples::jobs
