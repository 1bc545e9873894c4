/* SPDX-License-Identifier: MIT
 *
 * The queue of many producers and many consumers (ring.hpp), step by step: one statement reads or changes
 * one shared variable once. A producer takes a place, and fills it later; LATE of them do so only when
 * everything else has come to rest. Until then consumers take what is behind that place, under a mark in
 * the head. No item is lost, taken twice, or hidden from a consumer that goes to sleep; each producer's
 * items keep their order; nobody is refused while there is a place; and in the end it counts no item,
 * also if a consumer leaves that finds it empty.
 */
#ifndef CELLS
#define CELLS 2
#endif
#ifndef CAPACITY
#define CAPACITY CELLS
#endif
#ifndef PRODUCERS
#define PRODUCERS 2
#endif
#ifndef CONSUMERS
#define CONSUMERS 2
#endif
#ifndef ITEMS
#define ITEMS 2 /* of each producer */
#endif
#ifndef LATE
#define LATE 1
#endif
#ifndef LATE_ITEMS
#define LATE_ITEMS ITEMS /* of each that is late */
#endif

#define TAKES_BEHIND_WITHOUT_A_MARK 1 /* in the head */
#define DOES_NOT_SAY_THAT_IT_TAKES 2  /* an item that is behind the head */
#define LOOKS_AT_THE_HEAD_ALONE 3     /* before it sleeps */
#define LEAVES_THE_MARK 4             /* if it has found none */
#define DOES_NOT_SETTLE_THE_HEAD 5    /* a producer that finds the queue full */
#define FILLS_BEFORE_IT_IS_EMPTY 6    /* without a look at the place */
#define COUNTS_FROM_THE_HEAD 7        /* what is left, without settling it */
#define LOOKS_BEHIND_A_LATER_HEAD 8   /* than the one where it has found none */
#ifndef MUTANT
#define MUTANT 0
#endif

#define MARK 64  /* in the head */
#define TAKEN 64 /* in a place's turn */
#define untaken(turn) ((turn) & 63)
#define filling(at) (2 * ((at) / CELLS))
#define place(at) ((at) % CELLS)

byte head, tail, head_seen;
byte turn[CELLS];
byte item[CELLS];
bool asleep[CONSUMERS];
byte waiting_late, permits; /* producers that have their place, and may fill it */

/* What the model is asked about. An item is its producer's number * ITEMS + which one + 1. */
#define MOST (LATE * LATE_ITEMS + (PRODUCERS - LATE) * ITEMS)
byte next_of[PRODUCERS];
bool is_gone[MOST + 1]; /* by place; the last one stays */
byte settled;           /* all before it are gone */
byte pushed, popped, refused, done;
bool was_full[PRODUCERS] = true; /* of one that is in push(): since it began */
#define is_full_now (tail - settled >= CAPACITY)

inline note_taken(at) {
        mine = item[place(at)];
        assert(mine != 0 && !is_gone[at]);
        assert(next_of[(mine - 1) / ITEMS] == (mine - 1) % ITEMS);
        next_of[(mine - 1) / ITEMS]++;
        popped++;
        is_gone[at] = true;
        do
        :: is_gone[settled] -> settled++
        :: else -> break
        od
}

inline take_out(at) {
        assert(item[place(at)] == mine);
        item[place(at)] = 0;
        turn[place(at)] = filling(at) + 2;
        mine = 0
}

/* Others wait while the head is marked. */
inline settled_head(ret_at) {
        atomic { head < MARK -> ret_at = head };
        do
        :: ret_at >= MARK -> atomic { head < MARK -> ret_at = head }
        :: else ->
           t = turn[place(ret_at)];
           if
           :: t == filling(ret_at) + 1 || untaken(t) <= filling(ret_at) -> break
           :: else ->
              atomic {
                      if
                      :: head == ret_at -> head++; ret_at++
                      :: else -> ret_at = head
                      fi
              }
           fi
        od;
        t = 0
}

/* `ret_at` becomes the first place from there on that holds an item, or `end`. */
inline first_full(ret_at, end) {
        do
        :: ret_at < end && turn[place(ret_at)] != filling(ret_at) + 1 -> ret_at++
        :: else -> break
        od
}

inline pop_behind() {
        end = tail;
        found = end;
        spot = at;
        first_full(spot, found);
        do
        :: spot == found -> break
        :: else ->
           found = spot;
           spot = at;
           first_full(spot, found)
        od;
        if
        :: at < found && found < end ->
#if MUTANT != DOES_NOT_SAY_THAT_IT_TAKES
           atomic { note_taken(found); turn[place(found)] = filling(found) + 1 + TAKEN }
#else
           atomic { note_taken(found) }
#endif
        :: else
        fi;
        if
        :: found == at && at < end -> atomic { note_taken(at); head = at + 1 }
        :: found == at && at == end -> assert(false)
#if MUTANT == LEAVES_THE_MARK
        :: found == end && found != at
        :: found != end && found != at -> head = at
#else
        :: found != at -> head = at
#endif
        fi;
        if
        :: found < end -> take_out(found); has = true
        :: else
        fi;
        atomic { end = 0; found = 0; spot = 0 }
}

inline is_any_behind() {
        end = tail;
        spot = at + 1;
        first_full(spot, end);
        any = spot < end;
        atomic { end = 0; spot = 0 }
}

inline pop() {
        at = head;
        do
        :: at >= MARK -> atomic { head < MARK -> at = head }
        :: else ->
           t = turn[place(at)];
           if
           :: t == filling(at) + 1 ->
              t = 0;
              atomic {
                      if
                      :: head == at -> head++; note_taken(at); has = true
                      :: else -> at = head
                      fi
              };
              if
              :: has -> take_out(at); break
              :: else
              fi
           :: untaken(t) > filling(at) && t != filling(at) + 1 -> settled_head(at)
           :: untaken(t) <= filling(at) ->
              t = head;
              if
              :: t != at -> at = t
              :: else ->
                 t = 0;
                 is_any_behind();
                 if
                 :: !any -> break
                 :: else -> any = false;
#if MUTANT == TAKES_BEHIND_WITHOUT_A_MARK
                    is_mine = true;
#else
                    atomic {
                            if
                            :: head == at -> head = at + MARK; is_mine = true
                            :: else -> at = head
                            fi
                    };
#endif
                    if
                    :: is_mine -> is_mine = false; pop_behind(); break
                    :: else
                    fi
                 fi
              fi
           fi
        od;
        atomic { at = 0; t = 0 }
}

/* Ring::empty(). It misses no item that is there from before the call to its end. */
inline is_empty(ret_is) {
        d_step {
                at = head % MARK;
                there = settled;
                do
                :: there < tail && (is_gone[there] || turn[place(there)] != filling(there) + 1) ->
                   there++
                :: else -> break
                od;
                if
                :: there == tail -> there = MOST /* none */
                :: else
                fi
        };
        do
        :: t = turn[place(at)];
           if
           :: t == filling(at) + 1 -> ret_is = false; break
           :: else
           fi;
           t = head;
           t = t % MARK;
           if
           :: t == at -> ret_is = true; break
           :: else -> at = t
           fi
        od;
#if MUTANT != LOOKS_AT_THE_HEAD_ALONE
        if
        :: ret_is ->
#if MUTANT == LOOKS_BEHIND_A_LATER_HEAD
           at = head;
           at = at % MARK;
#endif
           is_any_behind();
           ret_is = !any;
           any = false
        :: else
        fi;
#endif
        atomic { assert(!ret_is || there == MOST || is_gone[there]); at = 0; t = 0; there = 0 }
}

/* A lane: who finds nothing says that it sleeps, and looks once more (parking.hpp). With -DLEAVES the first
 * one may leave the mask after an item, and takes no other one. */
proctype consumer(byte me) {
        byte at, t, end, spot, found, mine, there;
        bool has, any, is_mine, is;
        do
        ::
           pop();
           if
           :: has -> has = false;
#ifdef LEAVES
              if
              :: me == 0 ->
                 is_empty(is);
                 if
                 :: is -> is = false; break
                 :: else
                 fi
              :: true
              fi
#endif
           :: else ->
              asleep[me] = true;
              is_empty(is);
              if
              :: is -> is = false; !asleep[me]
              :: else -> asleep[me] = false
              fi
           fi
        od
}

inline wake_one() {
        atomic {
                if
                :: asleep[0] -> asleep[0] = false
#if CONSUMERS > 1
                :: !asleep[0] && asleep[1] -> asleep[1] = false
#endif
                :: else
                fi
        }
}

inline is_full(ret_is) {
        h = head_seen;
        if
        :: at >= h && at - h < CAPACITY -> ret_is = false
        :: else ->
#if MUTANT == DOES_NOT_SETTLE_THE_HEAD
           atomic { head < MARK -> h = head };
#else
           settled_head(h);
#endif
           head_seen = h;
           ret_is = at < h || at - h >= CAPACITY
        fi;
        h = 0
}

proctype producer(byte me; bool is_late) {
        byte at, h, t, i, accepted;
        bool is, is_in;
        do
        :: i == (is_late -> LATE_ITEMS : ITEMS) -> break
        :: else ->
           atomic { at = tail; was_full[me] = is_full_now };
           do
           ::
              is_full(is);
              if
              :: is ->
                 is = false;
                 t = tail;
                 if
                 :: t == at -> assert(was_full[me]); refused++; break
                 :: else -> at = t
                 fi
              :: else ->
                 t = turn[place(at)];
                 if
#if MUTANT == FILLS_BEFORE_IT_IS_EMPTY
                 :: true ->
                    t = filling(at);
#else
                 :: t == filling(at) ->
#endif
                    atomic {
                            if
                            :: tail == at ->
                               tail++;
                               is_in = true;
                               assert(tail - settled <= CAPACITY);
                               was_full[0] = was_full[0] || is_full_now;
#if PRODUCERS > 1
                               was_full[1] = was_full[1] || is_full_now;
#endif
#if PRODUCERS > 2
                               was_full[2] = was_full[2] || is_full_now
#endif
                            :: else -> at = tail
                            fi
                    };
                    if
                    :: is_in -> break
                    :: else
                    fi
#if MUTANT != FILLS_BEFORE_IT_IS_EMPTY
                 :: else ->  /* somebody is just emptying it, or was faster */
                    atomic { tail != at || turn[place(at)] == filling(at) -> at = tail }
#endif
                 fi
              fi;
              t = 0
           od;
           if
           :: is_in ->
              is_in = false;
              if
              :: is_late -> waiting_late++; atomic { permits > 0 -> permits-- }
              :: else
              fi;
              item[place(at)] = me * ITEMS + accepted + 1;
              accepted++;
              atomic { pushed++; turn[place(at)] = t + 1 };
              wake_one()
           :: else
           fi;
           atomic { at = 0; t = 0; was_full[me] = true };
           i++
        od;
        done++
}

init {
        byte p, h, t;
        atomic {
                do
                :: p < PRODUCERS -> run producer(p, p < LATE); p++
                :: else -> break
                od;
                p = 0;
                do
                :: p < CONSUMERS -> run consumer(p); p++
                :: else -> break
                od
        };
        do
        :: timeout ->
           assert(popped == pushed);
           assert(head < MARK);
           if
           :: waiting_late > 0 -> atomic { waiting_late--; permits++ }
           :: else -> break
           fi
        od;
        assert(done == PRODUCERS && pushed + refused == MOST);
#if MUTANT == COUNTS_FROM_THE_HEAD
        h = head;
#else
        settled_head(h);
#endif
        assert(h == tail)
}
