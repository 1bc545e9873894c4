// SPDX-License-Identifier: MIT
//! The benchmarks of ../../benches that only post tasks, for each pool that can do that.

use crate::common::{quantile, report, Options};
use crate::threads::{await_sum, count, sum};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::Arc;
use std::time::{Duration, Instant};

pub trait Pool {
    /// Pinned as the C++ programs pin theirs.
    fn pinned(workers: usize) -> Self;
    fn post(&self, task: impl FnOnce() + Send + 'static);
    /// By a task of the pool.
    fn post_from_inside(task: impl FnOnce() + Send + 'static);
}

pub fn submit_tasks(pool: &impl Pool, tasks: usize) {
    let before = sum();
    for _ in 0..tasks {
        pool.post(count);
    }
    await_sum(before + tasks as u64);
}

pub fn submit<P: Pool>(options: &Options) {
    let tasks = options.scaled(1_000_000);
    let pool = P::pinned(options.workers);
    submit_tasks(&pool, tasks / 20);
    let begin = Instant::now();
    submit_tasks(&pool, tasks);
    report("ns_per_task", begin.elapsed().as_nanos() as f64 / tasks as f64);
}

fn grow<P: Pool>(height: u32) {
    if height > 1 {
        P::post_from_inside(move || grow::<P>(height - 1));
        P::post_from_inside(move || grow::<P>(height - 1));
    }
    count();
}

fn grow_tree<P: Pool>(pool: &P, height: u32) {
    let before = sum();
    pool.post(move || grow::<P>(height));
    await_sum(before + (1 << height) - 1);
}

pub fn tree<P: Pool>(options: &Options) {
    let height = if options.scale < 1.0 { 16 } else { 19 };
    let pool = P::pinned(options.workers);
    grow_tree(&pool, 12);
    let begin = Instant::now();
    grow_tree(&pool, height);
    let tasks = ((1u64 << height) - 1) as f64;
    report("ns_per_task", begin.elapsed().as_nanos() as f64 / tasks);
}

fn measure_wakes(pool: &impl Pool, name: &str, gap: Duration, turns: usize) {
    let (mut latencies, mut calls) = (Vec::new(), Vec::new());
    let origin = Instant::now();
    for _ in 0..turns {
        std::thread::sleep(gap);
        let running = Arc::new(AtomicU64::new(0));
        let noted = running.clone();
        let asked = origin.elapsed();
        pool.post(move || noted.store(origin.elapsed().as_nanos() as u64, Ordering::SeqCst));
        let returned = origin.elapsed();
        while running.load(Ordering::SeqCst) == 0 {}
        let ran = running.load(Ordering::SeqCst) as f64;
        latencies.push((ran - asked.as_nanos() as f64) / 1e3);
        calls.push((returned - asked).as_nanos() as f64 / 1e3);
    }
    report(&format!("wake_{name}_p50_us"), quantile(&mut latencies, 0.5));
    report(&format!("wake_{name}_p99_us"), quantile(&mut latencies, 0.99));
    report(&format!("wake_{name}_call_p50_us"), quantile(&mut calls, 0.5));
}

pub fn latency<P: Pool>(options: &Options) {
    let pool = P::pinned(options.workers);
    submit_tasks(&pool, 100);
    measure_wakes(&pool, "1ms", Duration::from_millis(1), options.scaled(400));
    measure_wakes(&pool, "10ms", Duration::from_millis(10), options.scaled(100));
}
