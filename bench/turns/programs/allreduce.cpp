// SPDX-License-Identifier: MIT
//
// MPI with OpenMP: each rank has a parallel region, then one MPI_Allreduce lets nobody go on before
// all have ended theirs. Rank 0 reports for all.
#include <signal.h>
#include <sys/prctl.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <thread>

#include <mpi.h>
#include <threadcount/article.h>

#include "common/calibration.hpp"
#include "kernel.hpp"
#include "step_record.hpp"

namespace {

using turns::Kernel;
using turns::StepRecord;

constexpr const char* kHelp =
        "allreduce - MPI ranks with OpenMP, for bench/coupled\n\n"
        "Usage: mpirun -n N allreduce --work N [OPTION]...\n\n"
        "  --iterations N  regions of each rank, 1 to 10^9 (default 100)\n"
        "  --work N        thousands of numbers in each, 1 to 10^6: what steps --calibrate says\n"
        "  --sleep-us N    sleep so long between two looks at the exchange, where MPI would spin\n"
        "  --json          accepted: the report is one JSON object on one line in any case\n";

/// The sum over all ranks. `sleep_us` 0: MPI waits in its own way.
std::uint64_t sum_of_all(std::uint64_t own, std::uint64_t sleep_us) {
        std::uint64_t all = 0;

        if (sleep_us == 0) {
                MPI_Allreduce(&own, &all, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
                return all;
        }
        MPI_Request request = MPI_REQUEST_NULL;
        int is_over = 0;
        MPI_Iallreduce(&own, &all, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD, &request);
        while (MPI_Test(&request, &is_over, MPI_STATUS_IGNORE) == MPI_SUCCESS && is_over == 0)
                std::this_thread::sleep_for(std::chrono::microseconds(sleep_us));
        return all;
}

/// The regions of this rank; its value in the end is that of all.
void compute(const examples::Options& options, int rank, Kernel& kernel, StepRecord& record) {
        std::uint64_t all = 0;

        kernel.prepare(options.work);
        for (std::uint64_t i = 0; i < options.iterations; ++i) {
                set_thread_count();
                const int threads = kernel.region(all + static_cast<std::uint64_t>(rank));
                all = sum_of_all(kernel.value(), options.sleep_us);
                record.note(threads);
        }
}

int run(const examples::Options& options) {
        Kernel kernel;
        StepRecord record;
        int rank = 0;

        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
        init_thread_count();
        compute(options, rank, kernel, record);
        const double own_ms = record.longest_ms();
        const std::uint64_t own = kernel.value();
        double longest_ms = 0;
        std::uint64_t checksum = 0;
        MPI_Reduce(&own_ms, &longest_ms, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
        MPI_Reduce(&own, &checksum, 1, MPI_UINT64_T, MPI_BXOR, 0, MPI_COMM_WORLD);
        if (rank != 0)
                return 0;
        return turns::print_report("allreduce", options.work, record, longest_ms, checksum) ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
        const auto [options, error] = examples::parse_options(
                {argv + 1, static_cast<std::size_t>(argc - 1)}, Kernel::kDescription);

        if (options.help)
                return std::fputs(kHelp, stdout) >= 0 ? 0 : 1;
        if (!error.empty() || options.work == 0) {
                std::fprintf(stderr, "allreduce: %s; see --help\n",
                             error.empty() ? "--work is needed" : error.c_str());
                return 2;
        }
        // No rank outlives the launcher, however that ends.
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        int provided = 0;
        if (MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided) != MPI_SUCCESS ||
            provided < MPI_THREAD_FUNNELED) {
                std::fprintf(stderr, "allreduce: this MPI does not go with threads\n");
                return 1;
        }
        const int status = run(options);
        MPI_Finalize();
        return status;
}
