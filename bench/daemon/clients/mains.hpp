// SPDX-License-Identifier: MIT
//
// The programs that share one file, as the compiler reads the headers for options and JSON for half
// of the time.
#pragma once

namespace bench {

int attack_main(int argc, char** argv);
int bystander_main(int argc, char** argv);
int crowd_main(int argc, char** argv);
int echo_main(int argc, char** argv);
int hostile_main(int argc, char** argv);
int leases_main(int argc, char** argv);

}  // namespace bench
