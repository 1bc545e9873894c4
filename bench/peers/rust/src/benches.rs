// SPDX-License-Identifier: MIT
//! The benchmarks of ../../benches, as far as Rayon has what they need.

use crate::common::{fibonacci, quantile, report, Options};
use crate::posted::{submit_tasks, Pool};
use crate::threads::{cpu_of_worker, deepest_stack, look_at_stack, pin_this_thread};
use rayon::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::Arc;
use std::time::{Duration, Instant};

impl Pool for ThreadPool {
    fn pinned(workers: usize) -> Self {
        ThreadPoolBuilder::new()
            .num_threads(workers)
            .start_handler(|index| pin_this_thread(cpu_of_worker(index)))
            .build()
            .expect("a pool")
    }

    fn post(&self, task: impl FnOnce() + Send + 'static) {
        self.spawn(task);
    }

    fn post_from_inside(task: impl FnOnce() + Send + 'static) {
        rayon::spawn(task);
    }
}

fn forked(n: u32, look: bool) -> u64 {
    if look {
        look_at_stack();
    }
    if n < 2 {
        return n as u64;
    }
    let (left, right) = rayon::join(|| forked(n - 1, look), || forked(n - 2, look));
    left + right
}

fn run_fibonacci(pool: &ThreadPool, n: u32, look: bool) {
    assert_eq!(pool.install(|| forked(n, look)), fibonacci(n));
}

pub fn fork_join(options: &Options) {
    let n = if options.scale < 1.0 { 27 } else { 30 };
    let pool = ThreadPool::pinned(options.workers);
    run_fibonacci(&pool, 22, false);
    let begin = Instant::now();
    run_fibonacci(&pool, n, false);
    let forks = (fibonacci(n + 1) - 1) as f64;
    report("ns_per_fork", begin.elapsed().as_nanos() as f64 / forks);
}

pub fn stack(options: &Options) {
    let pool = ThreadPool::pinned(options.workers);
    run_fibonacci(&pool, if options.scale < 1.0 { 30 } else { 35 }, true);
    report("stack_kib", deepest_stack() as f64 / 1024.0);
}

/// As round_trip.hpp: ends after three seconds, and a stall took 50 ms or more.
pub fn ping(options: &Options) {
    let pool = ThreadPool::pinned(options.workers);
    submit_tasks(&pool, 100);
    let trips = options.scaled(50_000);
    let (mut samples, mut stalls) = (Vec::new(), 0);
    let origin = Instant::now();
    for trip in 0..trips + trips / 10 {
        let ran = AtomicBool::new(false);
        let begin = Instant::now();
        pool.in_place_scope(|scope| {
            scope.spawn(|_| ran.store(true, Ordering::SeqCst));
            while !ran.load(Ordering::SeqCst) {
                std::hint::spin_loop();
            }
        });
        let ns = begin.elapsed().as_nanos() as f64;
        stalls += i32::from(ns >= 5e7);
        if trip >= trips / 10 {
            samples.push(ns);
        }
        if origin.elapsed().as_secs() >= 3 {
            break;
        }
    }
    report("ping_p50_ns", quantile(&mut samples, 0.5));
    report("ping_p99.9_ns", quantile(&mut samples, 0.999));
    report("ping_stalls", stalls as f64);
}

/// Switches and CPU time in ms of all threads but the first.
fn costs_of_others() -> (f64, f64) {
    let me = std::process::id().to_string();
    let (mut switches, mut cpu_ms) = (0.0, 0.0);
    for thread in std::fs::read_dir("/proc/self/task").expect("/proc").flatten() {
        if thread.file_name().to_str() == Some(&me) {
            continue;
        }
        let text = |name| std::fs::read_to_string(thread.path().join(name)).unwrap_or_default();
        let number = |word: Option<&str>| word.and_then(|w| w.parse::<f64>().ok()).unwrap_or(0.0);
        cpu_ms += number(text("schedstat").split_whitespace().next()) / 1e6;
        for line in text("status").lines().filter(|line| line.contains("_ctxt_switches:")) {
            switches += number(line.split_whitespace().nth(1));
        }
    }
    (switches, cpu_ms)
}

pub fn idle(options: &Options) {
    let pool = ThreadPool::pinned(options.workers);
    submit_tasks(&pool, 1000);
    let before = costs_of_others();
    std::thread::sleep(Duration::from_secs(2));
    let after = costs_of_others();
    report("switches", after.0 - before.0);
    report("cpu_ms", after.1 - before.1);
}

fn time_loop(calls: usize, mut body: impl FnMut()) -> f64 {
    let mut samples = Vec::new();
    for call in 0..calls + calls / 10 + 2 {
        let begin = Instant::now();
        body();
        if call > calls / 10 {
            samples.push(begin.elapsed().as_nanos() as f64 / 1e3);
        }
    }
    quantile(&mut samples, 0.5)
}

fn add_one(part: &mut [f32]) {
    for value in part {
        *value += 1.0;
    }
}

/// Called by a worker, which takes part.
fn time_loops(options: &Options, size: &str, length: usize, calls: usize) {
    let mut values = vec![0f32; length];
    let part = length.div_ceil(options.workers);
    let calls = options.scaled(calls);
    let us = time_loop(calls, || values.par_chunks_mut(part).for_each(add_one));
    report(&format!("static_{size}_us"), us);
    let us = time_loop(calls, || values.par_iter_mut().for_each(|value| *value += 1.0));
    report(&format!("dynamic_{size}_us"), us);
    assert!(values.iter().all(|value| *value == values[0]));
}

pub fn loops(options: &Options) {
    ThreadPool::pinned(options.workers).install(|| {
        time_loops(options, "1k", 1_000, 20_000);
        time_loops(options, "100k", 100_000, 5_000);
        time_loops(options, "10M", 10_000_000, 50);
    });
}

/// Without its end: dropping a pool does not wait for its threads.
pub fn start(options: &Options) {
    let mut samples = Vec::new();
    for turn in 0..21 {
        let ran = Arc::new(AtomicBool::new(false));
        let noted = ran.clone();
        let begin = Instant::now();
        let pool = ThreadPool::pinned(options.workers);
        pool.spawn(move || noted.store(true, Ordering::SeqCst));
        while !ran.load(Ordering::SeqCst) {
            std::thread::yield_now();
        }
        if turn > 0 {
            samples.push(begin.elapsed().as_nanos() as f64 / 1e3);
        }
        drop(pool);
        std::thread::sleep(Duration::from_millis(2));
    }
    report("start_us", quantile(&mut samples, 0.5));
}
