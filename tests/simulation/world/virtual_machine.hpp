// SPDX-License-Identifier: MIT
//
// The virtual machine's CPUs: how they hang together, which are online, and which are distributed.
#pragma once

#include "policy/machine.hpp"
#include "simulation/scenario/scenario.hpp"

namespace simulation {

class VirtualMachine {
public:
        explicit VirtualMachine(const MachineShape& shape);

        [[nodiscard]] const CpuMask& possible() const { return possible_; }
        [[nodiscard]] const CpuMask& online() const { return online_; }
        /// The machine as the governor sees it now.
        [[nodiscard]] const governor::policy::Machine& governed() const { return governed_; }
        /// The CPUs of threads that were not bound to any.
        [[nodiscard]] const CpuMask& usual() const { return usual_; }

        /// CPU 0 stays, as on real machines: so at least one is always online.
        void set_online(const CpuSet& cpus, bool online);

private:
        void update();

        MachineShape shape_;
        governor::policy::Topology places_;
        CpuMask possible_;
        CpuMask online_;
        CpuMask usual_;
        CpuMask pool_;
        governor::policy::Machine governed_;
};

}  // namespace simulation
