// SPDX-License-Identifier: MIT
// The same sum by a loop, by a usual pool, and by what threadcount::Pool offers.
#include "variants.hpp"

#include <array>
#include <atomic>
#include <latch>
#include <numeric>
#include <threadcount/pool.hpp>
#include <threadcount/pool/future.hpp>
#include <vector>

#include "formula.hpp"
#include "mutex_future.hpp"
#include "pools/condition_pool.hpp"
#include "pools/cpus.hpp"

namespace examples::pi {
namespace {

using threadcount::Pool;

threadcount::PoolOptions pool_options(std::size_t workers) {
        return {.cpus = cpus_cores_first(workers)};
}

double sum_of(const std::vector<double>& values) {
        return std::accumulate(values.begin(), values.end(), 0.0);
}

double sum_between(std::uint64_t first, std::uint64_t last) {
        double sum = 0;

        for (auto k = first; k < last; ++k)
                sum += term(k);
        return sum;
}

class Sequential final : public Variant {
public:
        explicit Sequential(std::size_t /*workers*/) {}
        double sum(std::uint64_t terms) override { return sum_between(0, terms); }
};

/// One task and one future for each term, each with its own allocation and lock.
class Mutex final : public Variant {
public:
        explicit Mutex(std::size_t workers) : pool_(workers) {}

        double sum(std::uint64_t terms) override {
                std::vector<std::unique_ptr<MutexFuture>> futures;
                double sum = 0;

                futures.reserve(terms);
                for (std::uint64_t k = 0; k < terms; ++k) {
                        auto& future = *futures.emplace_back(std::make_unique<MutexFuture>());
                        pool_.submit([k, &future] { future.set(term(k)); });
                }
                for (auto& future : futures)
                        sum += future->get();
                return sum;
        }

private:
        ConditionPool pool_;
};

class Futures final : public Variant {
public:
        explicit Futures(std::size_t workers) : pool_(pool_options(workers)) {}

        double sum(std::uint64_t terms) override {
                std::vector<threadcount::Future<double>> futures;
                double sum = 0;

                futures.reserve(terms);
                for (std::uint64_t k = 0; k < terms; ++k)
                        futures.push_back(pool_.async([k] { return term(k); }));
                for (auto& future : futures)
                        sum += future.get();
                return sum;
        }

private:
        Pool pool_;
};

/// One task for each term, and one counter for all.
class Counter final : public Variant {
public:
        explicit Counter(std::size_t workers) : pool_(pool_options(workers)) {}

        double sum(std::uint64_t terms) override {
                std::vector<double> values(terms);
                std::latch left(static_cast<std::ptrdiff_t>(terms));

                for (std::uint64_t k = 0; k < terms; ++k)
                        pool_.submit([k, &value = values[k], &left] {
                                value = term(k);
                                left.count_down();
                        });
                left.wait();
                return sum_of(values);
        }

private:
        Pool pool_;
};

/// The same, but each task is for one CPU: it goes into the queue of that CPU's lane, and into the
/// shared one when that is full.
class Affine final : public Variant {
public:
        explicit Affine(std::size_t workers) : pool_(pool_options(workers)) {}

        double sum(std::uint64_t terms) override {
                std::vector<double> values(terms);
                std::latch left(static_cast<std::ptrdiff_t>(terms));

                for (std::uint64_t k = 0; k < terms; ++k) {
                        const auto task = [k, &value = values[k], &left] {
                                value = term(k);
                                left.count_down();
                        };
                        if (!pool_.submit_to(cpus_[k % cpus_.size()], task))
                                pool_.submit(task);
                }
                left.wait();
                return sum_of(values);
        }

private:
        Pool pool_;
        const std::vector<int> cpus_ = pool_.cpus();
};

class ParallelFor final : public Variant {
public:
        explicit ParallelFor(std::size_t workers) : pool_(pool_options(workers)) {}

        double sum(std::uint64_t terms) override {
                std::vector<double> values(terms);

                pool_.parallel_for(std::uint64_t{0}, terms, [&](auto first, auto last) {
                        for (auto k = first; k < last; ++k)
                                values[k] = term(k);
                });
                return sum_of(values);
        }

private:
        Pool pool_;
};

/// Halves are halved again, down to what is not worth a thread.
class ForkJoin final : public Variant {
public:
        explicit ForkJoin(std::size_t workers) : pool_(pool_options(workers)) {}

        double sum(std::uint64_t terms) override { return sum_by_halves(0, terms); }

private:
        double sum_by_halves(std::uint64_t first, std::uint64_t last) {
                constexpr std::uint64_t kSmall = 64;
                double lower = 0;
                double upper = 0;

                if (last - first <= kSmall)
                        return sum_between(first, last);
                const auto middle = first + (last - first) / 2;
                pool_.fork_join([&] { lower = sum_by_halves(first, middle); },
                                [&] { upper = sum_by_halves(middle, last); });
                return lower + upper;
        }

        Pool pool_;
};

template <class Kind>
std::unique_ptr<Variant> make(std::size_t workers) {
        return std::make_unique<Kind>(workers);
}

constexpr std::array kVariants{
        VariantKind{"sequential", "a loop in one thread", make<Sequential>},
        VariantKind{"mutex", "a usual pool, a future for each term", make<Mutex>},
        VariantKind{"future", "async(), a future for each term", make<Futures>},
        VariantKind{"counter", "submit(), one counter for all terms", make<Counter>},
        VariantKind{"affine", "the same with submit_to(), CPU after CPU", make<Affine>},
        VariantKind{"parallel_for", "ranges of terms", make<ParallelFor>},
        VariantKind{"fork_join", "halves of halves, down to 64 terms", make<ForkJoin>},
};

}  // namespace

std::span<const VariantKind> variants() { return kVariants; }

}  // namespace examples::pi
