// SPDX-License-Identifier: MIT
//! Threads are pinned as the C++ programs pin theirs; and what each thread has counted.

use std::cell::Cell;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::OnceLock;
use std::time::Duration;

/// The CPUs that this process was allowed at its start.
pub fn allowed_cpus() -> &'static [usize] {
    static CPUS: OnceLock<Vec<usize>> = OnceLock::new();
    CPUS.get_or_init(|| unsafe {
        let mut mask: libc::cpu_set_t = std::mem::zeroed();
        libc::sched_getaffinity(0, std::mem::size_of_val(&mask), &mut mask);
        (0..libc::CPU_SETSIZE as usize)
            .filter(|&cpu| libc::CPU_ISSET(cpu, &mask))
            .collect()
    })
}

pub fn pin_this_thread(cpu: usize) {
    unsafe {
        let mut mask: libc::cpu_set_t = std::mem::zeroed();
        libc::CPU_SET(cpu, &mut mask);
        if libc::sched_setaffinity(0, std::mem::size_of_val(&mask), &mask) != 0 {
            eprintln!("a thread cannot be pinned to CPU {cpu}");
            std::process::exit(1);
        }
    }
}

/// That of worker `index`: the CPU behind main's, and so on, round and round.
pub fn cpu_of_worker(index: usize) -> usize {
    let cpus = allowed_cpus();
    cpus[(index + 1) % cpus.len()]
}

#[repr(align(128))]
struct Slot {
    count: AtomicU64,
    lowest: AtomicUsize,
    highest: AtomicUsize,
}

const MOST: usize = 1024;
static SLOTS: [Slot; MOST] = [const {
    Slot {
        count: AtomicU64::new(0),
        lowest: AtomicUsize::new(usize::MAX),
        highest: AtomicUsize::new(0),
    }
}; MOST];
static TAKEN: AtomicUsize = AtomicUsize::new(0);

thread_local! {
    static MINE: Cell<usize> = const { Cell::new(usize::MAX) };
}

fn mine() -> &'static Slot {
    MINE.with(|mine| {
        if mine.get() == usize::MAX {
            mine.set(TAKEN.fetch_add(1, Ordering::Relaxed));
        }
        &SLOTS[mine.get()]
    })
}

/// Counts one for the calling thread.
pub fn count() {
    let slot = mine();
    let next = slot.count.load(Ordering::Relaxed) + 1;
    slot.count.store(next, Ordering::Release);
}

pub fn sum() -> u64 {
    SLOTS.iter().map(|slot| slot.count.load(Ordering::Acquire)).sum()
}

/// Sleeps until that many have been counted since the start of the program.
pub fn await_sum(expected: u64) {
    unsafe { libc::prctl(libc::PR_SET_TIMERSLACK, 1usize) };
    while sum() < expected {
        std::thread::sleep(Duration::from_micros(20));
    }
    unsafe { libc::prctl(libc::PR_SET_TIMERSLACK, 0usize) };
}

/// Notes how deep the stack of the calling thread is.
pub fn look_at_stack() {
    let here = 0u8;
    let place = std::hint::black_box(&here) as *const u8 as usize;
    let slot = mine();
    slot.lowest.fetch_min(place, Ordering::Relaxed);
    slot.highest.fetch_max(place, Ordering::Relaxed);
}

/// In bytes, of all threads that have looked.
pub fn deepest_stack() -> usize {
    let depth = |slot: &Slot| {
        let highest = slot.highest.load(Ordering::Relaxed);
        highest.saturating_sub(slot.lowest.load(Ordering::Relaxed))
    };
    SLOTS.iter().map(depth).max().unwrap_or(0)
}
