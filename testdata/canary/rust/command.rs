//! The canary as a WASI command.

mod canary;
mod look;
mod opaque;
mod plant;
mod wasi;

use std::io::{self, Read, Write};
use std::process;

/// Writes bytes as output.
fn answer(bytes: &[u8]) {
    drop(io::stdout().write_all(bytes));
}

fn main() {
    let mut input = String::new();
    if io::stdin().read_to_string(&mut input).is_err() {
        process::exit(1);
    }
    process::exit(canary::run(&input));
}
