/* SPDX-License-Identifier: MIT
 *
 * Why the waker of ours takes the lane out of the idle set, and each lane has a word of its own. An
 * ancestor has workers in layers sleep on one word, counts those of each layer, and wakes by a bit set
 * the lowest layer with a count above zero. The one who is woken takes itself off the count, when it
 * runs: before that a second wake goes to the same layer, reaches nobody, and is lost. -DWAKER_COUNTS:
 * the waker takes it off, and all is well.
 */
#define LAYERS 2

byte count[LAYERS];
bool in_futex[LAYERS];
byte tasks, running;

proctype worker(byte layer) {
        atomic { count[layer]++; in_futex[layer] = true };
        !in_futex[layer];
#ifndef WAKER_COUNTS
        count[layer]--;
#endif
        atomic { tasks > 0 -> tasks-- };
        running++ /* for ever */
}

inline submit() {
        tasks++;
        atomic {
#ifdef WAKER_COUNTS
                if
                :: count[0] > 0 -> layer = 0; count[0]--
                :: count[0] == 0 && count[1] > 0 -> layer = 1; count[1]--
                fi
#else
                if
                :: count[0] > 0 -> layer = 0
                :: else -> layer = 1
                fi
#endif
        };
        in_futex[layer] = false
}

init {
        byte layer;
        run worker(0);
        run worker(1);
        in_futex[0] && in_futex[1];
        submit();
        submit();
        timeout;
        assert(running == 2)
}
