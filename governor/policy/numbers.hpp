// SPDX-License-Identifier: MIT
//
// The chosen numbers that decisions depend on. For settings of the administrator these are the
// defaults. Limits of memory, of messages and of the work of one look stand where they act.
//
// A number is pinned by the host of tests/simulation/hosts whose times change most by half or twice
// of it, if by more than 2 %. The hosts say nothing of the others: bench/results/ablation/numbers.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

namespace governor::numbers {

using std::chrono::milliseconds;

// The times at which the daemon looks and decides.

/// /proc/stat is read this often while something changes, and as often it is looked whether a
/// program was stopped or wants back what it lent.
/// Pinned by stagger-32.
inline constexpr milliseconds kTick{100};
/// Times of CPUs and of regions are measured over so long; foreign load, over two ticks.
/// Pinned by notebooks-256.
inline constexpr milliseconds kWindow{1'000};
inline constexpr milliseconds kTickWindow = 2 * kTick;
/// One part in so many is next to nothing: of CPU time, of CPUs, of a window, and of a wait.
/// Decisions take no more than this part of one CPU.
/// Pinned by stagger-32.
inline constexpr int kLittle = 10;
/// Timers are late, or early: a window is full when next to nothing of it is left.
[[nodiscard]] constexpr std::chrono::nanoseconds on_time(std::chrono::nanoseconds window) {
        return window - window / kLittle;
}
/// Reports are read this often while a program waits for CPUs that others have still to leave; a
/// program on trial is looked at twice as often.
/// Pinned by stagger-32.
inline constexpr milliseconds kPoll{25};
/// With more programs than this on CPUs of their own, each holds little. The daemon then looks only
/// at samples whether one was stopped: the looks would cost more than they win.
inline constexpr std::size_t kMostWatched = 16;
/// Between two decisions.
inline constexpr milliseconds kRest{1};
/// Between two looks at /proc/stat, times what the last one took: 0.2 % of one CPU.
inline constexpr int kTickTimes = 500;

// Load that is not governed.

/// At most this part of the CPUs is left to it.
/// Pinned by long-regions-16.
inline constexpr double kForeignMax = 0.5;
/// Foreign load counts when it has been there for so long. A tree that does nothing for as long
/// lends its turn.
inline constexpr milliseconds kLasting{250};
/// Two falls within so long are one load that comes and goes, and counts at its mean.
inline constexpr milliseconds kPeriod{2'500};
/// CPUs. For less no CPU is left free. A change up to this, or up to kNoiseOfRoot times the root of
/// the number of CPUs, is none. It comes from ticks of 10 ms, and from clocks that are read one
/// after the other, whose errors do not know of each other.
inline constexpr float kNoise = 0.5F;
inline constexpr float kNoiseOfRoot = 0.1F;

// Use of CPUs by programs.

/// An observation counts for so long: the most that a program could use, that it woke, was late or
/// is light no more, that programs are short-lived, that a limit was raised, how fast it was with
/// its last grant, that fewer CPUs would do as well. The daemon reads each program's affinity and
/// control groups as often: they cost most to read.
/// Pinned by big-1024.
inline constexpr milliseconds kMemory{10'000};
/// One tick of the kernel's clock more or less is a matter of chance.
inline constexpr milliseconds kKernelTick{10};
/// A program that could use less than one part in so many of a CPU is light, until it uses more
/// than three quarters. Light programs of an account may use up a CPU if there are so many.
/// Pinned by login-8.
inline constexpr std::uint32_t kLightParts = 2;
/// Thousandths of a CPU. A light program that burns less is measured only every kSeldom.
inline constexpr std::uint32_t kAsleep_millicpu = 20;
inline constexpr milliseconds kSeldom{3'000};

// Programs that come and go.

/// A program that is younger takes what is free but makes no other shrink, while programs of its
/// account end as young.
/// Pinned by big-1024.
inline constexpr milliseconds kShortLife{1'000};
/// Fewer such programs of an account in kMemory are no stream: each may shake its neighbours.
inline constexpr std::size_t kStream = 3;
/// A program above its grant for so long is charged for what it burns.
/// Pinned by crash-128.
inline constexpr milliseconds kHandoverMax{2'000};
/// Programs of a daemon that was restarted come back within this, and keep what they had.
inline constexpr std::chrono::seconds kReturn{60};
/// Programs inside of a region have come back by then: they notice after 2 s that the heartbeat
/// stands still, and look for a daemon once a second.
inline constexpr std::chrono::seconds kSettling{4};

// The worth of CPUs to a program.

/// A first glance at a number of CPUs takes so many regions, and half of kTick in these.
/// Pinned by closed-128.
inline constexpr int kRegions = 10;
/// The daemon forgets after this what CPUs were worth to a program.
inline constexpr milliseconds kHold{120'000};
/// Sizes less than this apart, as a ratio, tell less than chance does.
/// Pinned by stagger-32.
inline constexpr double kApart = 1.5;
/// An elasticity below this: more CPUs are worth little.
/// Pinned by crash-128.
inline constexpr double kFew = 0.5;
/// One part in so many of the time in turns goes to tries with half of the CPUs, which cost half of
/// it: 2.5 %. The next one is counted in.
inline constexpr int kTryParts = 20;
/// Beyond the sizes that were compared the knee of Amdahl's law is at most so many times as far.
/// Pinned by lab-32.
inline constexpr double kFarKnee = 4;
/// Below the sizes that were compared a program is taken to make use of half the time of so many of
/// all CPUs at least.
/// Pinned by night-64.
inline constexpr double kPrior = 0.1;

// Turns.

/// The weights of turns are those of programs that gain so much less by more CPUs. Linear ones go
/// one after the other all the same. Among others, one that comes later loses less by the hurry of
/// those before. With k^0.8, and one every 18 s, the sum of times is that of sharing; 1.08 of it
/// with 0.6.
inline constexpr double kCaution = 0.5;
/// A program whose end is not known keeps its turn for so long at first.
/// Pinned by agents-32.
inline constexpr milliseconds kQuantum{8'000};
/// And so many times as long as the last time then. With 2 jobs of equal length lose most of what
/// turns are for, and jobs of unequal lengths gain nothing by it.
/// Pinned by an invariant: flapping.
inline constexpr int kGrowth = 4;
/// No program waits longer for its turn without a thread.
inline constexpr milliseconds kMaxWait{300'000};

// Rounds of teams that do not fit side by side.

/// A gang keeps its round for so long. A change costs 1 to 3 ms: the rest of a region, and threads
/// of libgomp that spin for a while.
inline constexpr milliseconds kRound{500};
/// An interactive gang waits no longer than this for its round, and the rounds of others are
/// shorter for it.
inline constexpr milliseconds kRoundWait{250};
/// Teams that sleep while they wait take no rounds, unless they are faster in these. Their regions
/// are counted for so long in the crowd, then for a quarter of it in rounds, where they are
/// steadier. A program that ends within this time pays nothing for it.
inline constexpr milliseconds kCrowdTry{300};
/// Only programs that would end so many regions in that time alone. With fewer, one more or less
/// would make a difference. In rounds an eighth of them must end.
inline constexpr std::uint64_t kCrowdRegions = 64;
/// The result is forgotten. To find it anew costs half a second of the slower way.
inline constexpr milliseconds kCrowdMemory{30'000};
/// The crowd is left where its pace is below this part of that in rounds.
inline constexpr double kCrowdPays = 0.95;
/// They do not crowd beside foreign load of such a part of the CPUs, if it is half a CPU at least:
/// each thread of a crowd is one more beside it.
inline constexpr std::uint32_t kForeignParts = 20;

}  // namespace governor::numbers
