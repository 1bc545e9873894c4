/* SPDX-License-Identifier: MIT
 *
 * Why a submitter of ours looks at the idle set after it has published its task, and a lane at the
 * queues after it has entered the idle set. An ancestor pushes with a compare-exchange and notifies a
 * condition variable without holding its mutex: between a worker's look at the queue and its sleep the
 * notification reaches nobody. -DLOCKED: it notifies under the mutex, and all is well.
 */
byte queue, ran;
bool locked, sleeps, is_over;

inline lock() { atomic { !locked -> locked = true } }
inline unlock() { locked = false }

active proctype worker() {
        do
        :: lock();
           do
           :: queue > 0 -> break
           :: else ->
              atomic { sleeps = true; locked = false }; /* pthread_cond_wait() */
              !sleeps;
              lock()
           od;
           unlock();
           queue--;
           ran++
        od
}

active proctype submitter() {
        queue++;
#ifdef LOCKED
        lock();
#endif
        sleeps = false; /* pthread_cond_signal() */
#ifdef LOCKED
        unlock()
#endif
}

init {
        timeout;
        assert(ran == 1)
}
