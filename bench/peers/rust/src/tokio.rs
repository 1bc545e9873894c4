// SPDX-License-Identifier: MIT
//! tokio's runtime of several threads beside the other pools: its tasks are futures that never wait.

#[allow(dead_code)]
mod common;
mod posted;
#[allow(dead_code)]
mod threads;

use std::sync::atomic::{AtomicUsize, Ordering};
use threads::{cpu_of_worker, pin_this_thread};
use tokio::runtime::{Builder, Runtime};

impl posted::Pool for Runtime {
    fn pinned(workers: usize) -> Self {
        let next = AtomicUsize::new(0);
        Builder::new_multi_thread()
            .worker_threads(workers)
            .on_thread_start(move || {
                pin_this_thread(cpu_of_worker(next.fetch_add(1, Ordering::Relaxed)))
            })
            .build()
            .expect("a runtime")
    }

    fn post(&self, task: impl FnOnce() + Send + 'static) {
        self.spawn(async { task() });
    }

    fn post_from_inside(task: impl FnOnce() + Send + 'static) {
        tokio::spawn(async { task() });
    }
}

fn main() {
    common::run(&[
        ("submit", posted::submit::<Runtime>),
        ("tree", posted::tree::<Runtime>),
        ("latency", posted::latency::<Runtime>),
    ]);
}
