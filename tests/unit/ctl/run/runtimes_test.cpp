// SPDX-License-Identifier: MIT
// The runtime that a running process is taken to have.
#include "ctl/run/runtimes.hpp"

#include <cstring>
#include <elf.h>
#include <gtest/gtest.h>
#include <string>
#include <unistd.h>

namespace ctl::run {
namespace {

std::string mapped(const std::string& path) {
        return "7f0000000000-7f0000001000 r-xp 00000000 08:01 42   /lib/ld-linux-x86-64.so.2\n"
               "7f0000002000-7f0000003000 r-xp 00000000 08:01 43   " +
               path + "\n";
}

TEST(RuntimeIn, KnowsThoseWhoseThreadsSpin) {
        for (const auto* path :
             {"/usr/lib/x86_64-linux-gnu/libgomp.so.1.0.0",
              "/venv/scikit_learn.libs/libgomp-e985bcbb.so.1.0.0",
              "/usr/lib/llvm-14/lib/libomp.so.5", "/venv/lib/libiomp5.so",
              "/opt/intel/libmkl_intel_thread.so.2",
              "/venv/numpy.libs/libscipy_openblas64_-ff651d7f.so",
              "/usr/lib/x86_64-linux-gnu/openblas-pthread/libblas.so.3", "/usr/lib/libblis.so.4"})
                EXPECT_EQ(runtime_in(mapped(path)), Runtime::Spins) << path;
}

TEST(RuntimeIn, TakesOtherProgramsForOnesThatSleep) {
        EXPECT_EQ(runtime_in(mapped("/usr/lib/x86_64-linux-gnu/libtbb.so.12")), Runtime::Blocks);
        EXPECT_EQ(runtime_in(mapped("/usr/bin/xz")), Runtime::Blocks);
}

TEST(RuntimeIn, LeavesToItselfWhatIsLinkedWithTheLibrary) {
        EXPECT_EQ(runtime_in(mapped("/usr/lib/libthreadcount.so.1.0.0") +
                             mapped("/usr/lib/libgomp.so.1")),
                  Runtime::Follows);
}

TEST(RuntimeIn, DoesNotKnowAStaticProgramNorOneThatItMayNotRead) {
        EXPECT_EQ(runtime_in("00400000-00401000 r-xp 00000000 08:01 42   /home/u/a.out\n"),
                  Runtime::Unknown);
        EXPECT_EQ(runtime_in(""), Runtime::Unknown);
}

const auto kObjectMapped =
        mapped("/usr/lib/threadcount/doors/lib/x86_64-linux-gnu/keep.so") + mapped("/usr/bin/ls");
const auto kTold = mapped("/memfd:threadcount-fenced (deleted)");
const auto kGompMapped = mapped("/usr/lib/x86_64-linux-gnu/libgomp.so.1.0.0");

std::string variables(const std::string& adopts, const std::string& more = "A=b") {
        return "PATH=/bin" + std::string(1, '\0') + "THREADCOUNT_ADOPT=" + adopts +
               std::string(1, '\0') + more + std::string(1, '\0');
}

TEST(RuntimeInFence, SleepsWhereTheObjectIsThereAndIsToldToAndSaysSo) {
        for (const auto& object :
             {kObjectMapped, mapped("/opt/lib/threadcount/doors/lib64/keep.so (deleted)")}) {
                EXPECT_EQ(runtime_in_fence(object + kGompMapped, variables("fenced")),
                          Runtime::MaySleep);
                EXPECT_EQ(runtime_in_fence(object + kGompMapped + kTold, variables("fenced")),
                          Runtime::Sleeps);
        }
        const auto all = kObjectMapped + kGompMapped + kTold;
        for (const auto* other : {"keep", "adapt", "off", "", "fenced "})
                EXPECT_EQ(runtime_in_fence(all, variables(other)), Runtime::Spins);
        EXPECT_EQ(runtime_in_fence(kGompMapped + kTold, variables("fenced")), Runtime::Spins);
        EXPECT_EQ(runtime_in_fence(kGompMapped + kTold + mapped("/home/me/keep.so"),
                                   variables("fenced")),
                  Runtime::Spins);
        EXPECT_EQ(runtime_in_fence(all, ""), Runtime::Spins);
        EXPECT_EQ(runtime_in_fence(all, "THREADCOUNT_ADOPT=fenced"), Runtime::Spins) << "cut";
}

TEST(RuntimeInFence, SpinsWhereTheUserHasAWordInItOrAnotherRuntimeSpins) {
        const auto all = kObjectMapped + kGompMapped + kTold;
        for (const auto* name : {"OMP_PROC_BIND", "OMP_PLACES", "GOMP_CPU_AFFINITY",
                                 "OMP_THREAD_LIMIT", "OMP_STACKSIZE"})
                EXPECT_EQ(runtime_in_fence(all, variables("fenced", std::string(name) + "=1")),
                          Runtime::Spins);
        EXPECT_EQ(runtime_in_fence(all, variables("fenced", "MY_OMP_PLACES=1")), Runtime::Sleeps);
        for (const auto* other : {"/usr/lib/libomp.so.5", "/usr/lib/openblas-pthread/libblas.so.3"})
                EXPECT_EQ(runtime_in_fence(all + mapped(other), variables("fenced")),
                          Runtime::Spins);
}

TEST(RuntimeOf, LooksAtAProcess) {
        EXPECT_NE(runtime_of(::getpid()), Runtime::Unknown);
        EXPECT_EQ(runtime_of(0x7fffffff), Runtime::Unknown);
}

std::string with_note(const char (&name)[5]) {
        Elf64_Ehdr header{};
        std::memcpy(header.e_ident, ELFMAG, SELFMAG);
        header.e_ident[EI_CLASS] = ELFCLASS64;
        header.e_phoff = sizeof(header);
        header.e_phnum = 1;
        Elf64_Phdr part{};
        part.p_type = PT_NOTE;
        part.p_offset = sizeof(header) + sizeof(part);
        const Elf64_Nhdr note{4, 0, 4};
        std::string bytes(reinterpret_cast<const char*>(&header), sizeof(header));
        bytes.append(reinterpret_cast<const char*>(&part), sizeof(part));
        bytes.append(reinterpret_cast<const char*>(&note), sizeof(note));
        return bytes.append(name, 4);
}

TEST(GoProgram, IsKnownByItsNote) {
        EXPECT_TRUE(is_go(with_note("Go\0\0")));
        EXPECT_FALSE(is_go(with_note("GNU\0")));
}

TEST(GoProgram, IsNoneWhereTheFileIsCutOrNoProgram) {
        const auto whole = with_note("Go\0\0");
        for (std::size_t size = 0; size < whole.size(); size++)
                EXPECT_FALSE(is_go(whole.substr(0, size))) << size;
        EXPECT_FALSE(is_go(std::string(4096, '\xff')));
}

}  // namespace
}  // namespace ctl::run
