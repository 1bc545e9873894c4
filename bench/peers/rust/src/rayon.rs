// SPDX-License-Identifier: MIT
//! Rayon beside the other pools.

mod benches;
mod common;
mod threads;

fn main() {
    common::run(&[
        ("submit", benches::submit),
        ("tree", benches::tree),
        ("fork_join", benches::fork_join),
        ("stack", benches::stack),
        ("latency", benches::latency),
        ("ping", benches::ping),
        ("idle", benches::idle),
        ("loops", benches::loops),
        ("start", benches::start),
    ]);
}
