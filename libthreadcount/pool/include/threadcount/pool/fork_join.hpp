// SPDX-License-Identifier: MIT
//
// Two things at a time, recursively.
#pragma once

#include <threadcount/pool/detail/lane_context.hpp>

#include <exception>

namespace threadcount::pool {

template <class G>
class Half final : public Fork {
public:
        explicit Half(G& g) : Fork(&Half::run), g_(g) {}

        void rethrow() const {
                if (error_ != nullptr)
                        std::rethrow_exception(error_);
        }

private:
        static void run(Fork& fork) noexcept {
                auto& half = static_cast<Half&>(fork);
                try {
                        half.g_();
                } catch (...) {
                        half.error_ = std::current_exception();
                }
                half.finish();
        }

        G& g_;
        std::exception_ptr error_;
};

/// Runs f and g, and lets another lane have g. By a lane, or a guest.
template <class F, class G>
void fork_join(const LaneContext& lane, F& f, G& g) {
        using Pushed = ForkDeque::Pushed;
        Half<G> half(g);
        const auto pushed =
                lane.forks->push([&half](void* place) noexcept { ::new (place) Fork*(&half); },
                                 ForkDeque::Announce::First);
        if (pushed == Pushed::No) {
                f();
                g();
                return;
        }
        if (pushed == Pushed::Announced)
                wake_thief(lane);
        // The function f joins what it forks: the youngest is this one again, or it was stolen.
        Fork* mine = nullptr;
        try {
                f();
        } catch (...) {
                if (!lane.forks->pop(mine))
                        wait_for(lane, half);
                throw;
        }
        Machine::fetch(&half);  // if it was stolen, the thief has both lines
        if (lane.forks->pop(mine)) {
                g();
                return;
        }
        wait_for(lane, half);
        half.rethrow();
}

}  // namespace threadcount::pool
