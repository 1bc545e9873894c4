// SPDX-License-Identifier: MIT
//! Rayon beside the other pools.

mod benches;
mod common;
mod posted;
mod threads;

fn main() {
    common::run(&[
        ("submit", posted::submit::<rayon::ThreadPool>),
        ("tree", posted::tree::<rayon::ThreadPool>),
        ("fork_join", benches::fork_join),
        ("stack", benches::stack),
        ("latency", posted::latency::<rayon::ThreadPool>),
        ("ping", benches::ping),
        ("idle", benches::idle),
        ("loops", benches::loops),
        ("start", benches::start),
    ]);
}
