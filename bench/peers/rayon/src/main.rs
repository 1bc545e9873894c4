// SPDX-License-Identifier: MIT
//! Rayon beside the other pools: rayon BENCH WORKERS [SCALE] prints a line for each figure, or
//! `unsupported`.

mod benches;
mod threads;

use benches::Options;

fn main() {
    let words: Vec<String> = std::env::args().collect();
    if words.len() < 3 {
        eprintln!("usage: {} BENCH WORKERS [SCALE]", words[0]);
        std::process::exit(2);
    }
    let options = Options {
        workers: words[2].parse().expect("WORKERS"),
        scale: words.get(3).map_or(1.0, |text| text.parse().expect("SCALE")),
    };
    threads::pin_this_thread(threads::allowed_cpus()[0]);
    match words[1].as_str() {
        "submit" => benches::submit(&options),
        "tree" => benches::tree(&options),
        "fork_join" => benches::fork_join(&options),
        "stack" => benches::stack(&options),
        "latency" => benches::latency(&options),
        "ping" => benches::ping(&options),
        "idle" => benches::idle(&options),
        "loops" => benches::loops(&options),
        "start" => benches::start(&options),
        _ => println!("unsupported"),
    }
}
