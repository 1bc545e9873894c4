// SPDX-License-Identifier: MIT
//! chili beside the other pools: it only forks.

#[allow(dead_code)]
mod common;
#[allow(dead_code)]
mod threads;

use common::{fibonacci, report, Options};
use std::num::NonZero;
use std::time::Instant;
use threads::{allowed_cpus, cpu_of_worker, deepest_stack, look_at_stack, pin_this_thread};

/// Main takes part, and is where it was. The others, and the one that ticks, are where it was when
/// they began.
fn pool_beside_main(workers: usize) -> chili::ThreadPool {
    pin_this_thread(cpu_of_worker(0));
    let pool = chili::ThreadPool::with_config(chili::Config {
        thread_count: NonZero::new(workers - 1),
        ..Default::default()
    });
    pin_this_thread(allowed_cpus()[0]);
    pool
}

fn forked(scope: &mut chili::Scope, n: u32, look: bool) -> u64 {
    if look {
        look_at_stack();
    }
    if n < 2 {
        return n as u64;
    }
    let (left, right) = scope.join(
        |scope| forked(scope, n - 1, look),
        |scope| forked(scope, n - 2, look),
    );
    left + right
}

fn run_fibonacci(pool: &chili::ThreadPool, n: u32, look: bool) {
    assert_eq!(forked(&mut pool.scope(), n, look), fibonacci(n));
}

fn fork_join(options: &Options) {
    let n = if options.scale < 1.0 { 27 } else { 30 };
    let pool = pool_beside_main(options.workers);
    run_fibonacci(&pool, 22, false);
    let begin = Instant::now();
    run_fibonacci(&pool, n, false);
    let forks = (fibonacci(n + 1) - 1) as f64;
    report("ns_per_fork", begin.elapsed().as_nanos() as f64 / forks);
}

fn stack(options: &Options) {
    let pool = pool_beside_main(options.workers);
    run_fibonacci(&pool, if options.scale < 1.0 { 30 } else { 35 }, true);
    report("stack_kib", deepest_stack() as f64 / 1024.0);
}

fn main() {
    common::run(&[("fork_join", fork_join), ("stack", stack)]);
}
