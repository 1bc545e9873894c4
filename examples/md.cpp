// SPDX-License-Identifier: MIT
//
// Molecular dynamics: particles that attract each other at short range, moved by velocity
// Verlet. Regular: every particle looks at every other one.
#include <omp.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "common/checksum.hpp"
#include "common/program.hpp"

namespace {

using examples::Description;

constexpr double kBox = 4.0;    // edge of the cube in which the particles start
constexpr double kReach = 2.0;  // particles further apart do not feel each other
constexpr double kTimeStep = 0.01;

struct Vector {
        double x = 0;
        double y = 0;
        double z = 0;
};

Vector operator+(const Vector& a, const Vector& b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }

Vector operator*(double factor, const Vector& a) {
        return {factor * a.x, factor * a.y, factor * a.z};
}

double square(const Vector& a) { return a.x * a.x + a.y * a.y + a.z * a.z; }

/// The i-th coordinate at the beginning.
double start(std::uint64_t i) { return kBox * examples::as_fraction(examples::scramble(i)); }

/// The larger of x and 0, exactly. Compilers may turn std::max() into a branch; its guesses
/// would make the cost of a step depend on how the particles happen to lie.
double positive_part(double x) { return 0.5 * (x + std::abs(x)); }

struct Field {
        Vector acceleration;
        double potential;
};

/// What the others do to a particle. A pair at distance d has the energy
/// 1 - (1 - d^2/reach^2)^2 within reach and 1 beyond, divided by the number of particles
/// so that the motion is equally fast whatever their number. Only sums and products: no
/// mathematical library whose last digit may differ. A particle does nothing to itself.
Field field_at(const Vector& here, const std::vector<Vector>& particles) {
        constexpr double kInverseReach2 = 1.0 / (kReach * kReach);
        const double weight = 1.0 / static_cast<double>(particles.size());
        Vector pull;
        double energy = 0;

        for (const auto& other : particles) {
                const Vector away = {here.x - other.x, here.y - other.y, here.z - other.z};
                const double nearness = positive_part(1.0 - square(away) * kInverseReach2);

                pull.x -= nearness * away.x;
                pull.y -= nearness * away.y;
                pull.z -= nearness * away.z;
                energy += 1.0 - nearness * nearness;
        }
        return {4.0 * kInverseReach2 * weight * pull, 0.5 * weight * energy};
}

class MolecularDynamics {
public:
        static constexpr Description kDescription{
                .name = "md",
                .summary = "molecular dynamics with velocity Verlet, one time step per region",
                .unit = "one particle; twice as many cost four times as much",
                .max_work = 1'000'000,
                .cost_exponent = 2,
        };

        void prepare(std::uint64_t work) {
                positions_.resize(work);
                for (std::uint64_t i = 0; i < work; ++i)
                        positions_[i] = {start(3 * i), start(3 * i + 1), start(3 * i + 2)};
                velocities_.assign(work, Vector{});
                next_positions_.assign(work, Vector{});
                energies_.assign(work, 0.0);
                steps_ = 0;
        }

        int region() {
                const auto particles = static_cast<std::int64_t>(positions_.size());
                int threads = 0;

#pragma omp parallel for schedule(static)
                for (std::int64_t i = 0; i < particles; ++i) {
                        if (i == 0)
                                threads = omp_get_num_threads();
                        advance(static_cast<std::size_t>(i));
                }
                finish_step();
                return threads;
        }

        void serial() {
                for (std::size_t i = 0; i < positions_.size(); ++i)
                        advance(i);
                finish_step();
        }

        [[nodiscard]] std::uint64_t checksum() const {
                std::uint64_t checksum = examples::kChecksumStart;

                for (const auto& position : positions_) {
                        for (const double coordinate : {position.x, position.y, position.z})
                                checksum = examples::fold(checksum,
                                                          std::bit_cast<std::uint64_t>(coordinate));
                }
                return checksum;
        }

        [[nodiscard]] std::string result() const {
                const double energy = total_energy();
                char text[96];

                std::snprintf(text, sizeof text, "energy %.9f, %+.1e since the first step", energy,
                              energy - first_energy_);
                return text;
        }

private:
        /// One step of one particle. Velocities are kept half a step ahead of the positions,
        /// which joins the two halves of velocity Verlet into a single loop: it reads
        /// positions_ of all and writes only what belongs to particle i.
        void advance(std::size_t i) {
                const Field field = field_at(positions_[i], positions_);
                const Vector half_kick = (0.5 * kTimeStep) * field.acceleration;
                const Vector velocity = velocities_[i] + half_kick;

                energies_[i] = 0.5 * square(velocity) + field.potential;
                velocities_[i] = velocity + half_kick;
                next_positions_[i] = positions_[i] + kTimeStep * velocities_[i];
        }

        void finish_step() {
                std::swap(positions_, next_positions_);
                if (steps_++ == 0)
                        first_energy_ = total_energy();
        }

        /// Per particle.
        [[nodiscard]] double total_energy() const {
                double total = 0;

                for (const double energy : energies_)
                        total += energy;
                return total / static_cast<double>(energies_.size());
        }

        std::vector<Vector> positions_;
        std::vector<Vector> next_positions_;
        std::vector<Vector> velocities_;
        std::vector<double> energies_;  // as of the step's beginning
        std::uint64_t steps_ = 0;
        double first_energy_ = 0;
};

}  // namespace

int main(int argc, char** argv) { return examples::run_program<MolecularDynamics>(argc, argv); }
