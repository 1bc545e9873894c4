// SPDX-License-Identifier: MIT
//! What the programs of all pools have in common.

use crate::threads::{allowed_cpus, pin_this_thread};

pub struct Options {
    pub workers: usize,
    pub scale: f64,
}

impl Options {
    pub fn scaled(&self, count: usize) -> usize {
        ((count as f64 * self.scale) as usize).max(20.min(count))
    }
}

pub fn report(name: &str, value: f64) {
    println!("{name} {value}");
}

pub fn quantile(samples: &mut [f64], share: f64) -> f64 {
    samples.sort_by(f64::total_cmp);
    samples[(share * (samples.len() - 1) as f64) as usize]
}

pub fn fibonacci(n: u32) -> u64 {
    (0..n).fold((0, 1), |(value, next), _| (next, value + next)).0
}

/// PROGRAM BENCH WORKERS [SCALE] prints a line for each figure, or `unsupported`.
pub fn run(benches: &[(&str, fn(&Options))]) {
    let words: Vec<String> = std::env::args().collect();
    if words.len() < 3 {
        eprintln!("usage: {} BENCH WORKERS [SCALE]", words[0]);
        std::process::exit(2);
    }
    let options = Options {
        workers: words[2].parse().expect("WORKERS"),
        scale: words.get(3).map_or(1.0, |text| text.parse().expect("SCALE")),
    };
    pin_this_thread(allowed_cpus()[0]);
    match benches.iter().find(|(name, _)| *name == words[1]) {
        Some((_, bench)) => bench(&options),
        None => println!("unsupported"),
    }
}
