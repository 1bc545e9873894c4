/* SPDX-License-Identifier: MIT */
/* Functions of a shared object that begins parallel regions. The thread that calls is its master.
 */
#ifndef MASTER_H
#define MASTER_H

#ifdef __cplusplus
extern "C" {
#endif

/* Opens the process's handle; without a governor `ungoverned` threads are used. The same as the
 * function of the adapter. */
int master_open(int ungoverned);
/* The answer of the adapter. */
int master_update(void);
/* The same for a master that takes turns with others. */
int master_in_turn(void);
/* The team of a parallel region that asks for no particular number. */
int master_team(void);
/* Asks inside a region, and inside a region of `inner` threads in there; what is wrong: 0. */
int master_nested(int inner);
/* The team of a timed region that takes so long, with calls inside that must not disturb it; -1: it
 * is not what the adapter said. */
int master_timed(unsigned us);
/* The time for which the team's threads spin after a region, milliseconds; -1: the runtime does not
 * tell. */
int master_spins_ms(void);
/* Forks inside a region; what the child found wrong with its parent's handle and its own: 0. */
int master_fork_inside(int ungoverned);
/* Forks outside of regions; the most that the child may use once it has opened its own handle. */
int master_fork_outside(void);

#ifdef __cplusplus
}
#endif

#endif
