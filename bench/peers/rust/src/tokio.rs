// SPDX-License-Identifier: MIT
//! tokio's runtime of several threads beside the other pools: its tasks are futures that never wait.

#[allow(dead_code)]
mod common;
#[allow(dead_code)]
mod threads;

use common::{quantile, report, Options};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::Arc;
use std::time::{Duration, Instant};
use threads::{await_sum, count, cpu_of_worker, pin_this_thread, sum};
use tokio::runtime::{Builder, Runtime};

/// Pinned as the C++ programs pin theirs.
fn pinned_runtime(workers: usize) -> Runtime {
    let next = AtomicUsize::new(0);
    Builder::new_multi_thread()
        .worker_threads(workers)
        .on_thread_start(move || pin_this_thread(cpu_of_worker(next.fetch_add(1, Ordering::Relaxed))))
        .build()
        .expect("a runtime")
}

fn submit_tasks(runtime: &Runtime, tasks: usize) {
    let before = sum();
    for _ in 0..tasks {
        runtime.spawn(async { count() });
    }
    await_sum(before + tasks as u64);
}

fn submit(options: &Options) {
    let tasks = options.scaled(1_000_000);
    let runtime = pinned_runtime(options.workers);
    submit_tasks(&runtime, tasks / 20);
    let begin = Instant::now();
    submit_tasks(&runtime, tasks);
    report("ns_per_task", begin.elapsed().as_nanos() as f64 / tasks as f64);
}

fn grow(height: u32) {
    if height > 1 {
        tokio::spawn(async move { grow(height - 1) });
        tokio::spawn(async move { grow(height - 1) });
    }
    count();
}

fn grow_tree(runtime: &Runtime, height: u32) {
    let before = sum();
    runtime.spawn(async move { grow(height) });
    await_sum(before + (1 << height) - 1);
}

fn tree(options: &Options) {
    let height = if options.scale < 1.0 { 16 } else { 19 };
    let runtime = pinned_runtime(options.workers);
    grow_tree(&runtime, 12);
    let begin = Instant::now();
    grow_tree(&runtime, height);
    let tasks = ((1u64 << height) - 1) as f64;
    report("ns_per_task", begin.elapsed().as_nanos() as f64 / tasks);
}

fn measure_wakes(runtime: &Runtime, name: &str, gap: Duration, turns: usize) {
    let (mut latencies, mut calls) = (Vec::new(), Vec::new());
    let origin = Instant::now();
    for _ in 0..turns {
        std::thread::sleep(gap);
        let running = Arc::new(AtomicU64::new(0));
        let noted = running.clone();
        let asked = origin.elapsed();
        runtime.spawn(async move {
            noted.store(origin.elapsed().as_nanos() as u64, Ordering::SeqCst);
        });
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

fn latency(options: &Options) {
    let runtime = pinned_runtime(options.workers);
    submit_tasks(&runtime, 100);
    measure_wakes(&runtime, "1ms", Duration::from_millis(1), options.scaled(400));
    measure_wakes(&runtime, "10ms", Duration::from_millis(10), options.scaled(100));
}

fn main() {
    common::run(&[("submit", submit), ("tree", tree), ("latency", latency)]);
}
