//! The input of the canary: "look PAGES", or "plant TOKEN STEP... END". See
//! ../README.md for the report.

use std::process;

use crate::{answer, look, plant, wasi};

/// Executes the input. Returns 0, or 1 for a failure, unless the input asks for
/// another ending.
pub fn run(input: &str) -> i32 {
    let mut words = input.split(' ');
    let (order, token) = match (words.next(), words.next()) {
        (Some(order), Some(token)) => (order, token),
        _ => return 1,
    };
    if order == "look" {
        answer(&look::look(token.parse().unwrap_or(0)));
        return 0;
    }
    for word in words {
        if let Some(result) = end_as(word) {
            return result;
        }
        if !plant::plant(word, token) {
            return 1;
        }
    }
    1
}

/// Ends the call as the word says, if it is known.
fn end_as(end: &str) -> Option<i32> {
    match end {
        "return" => Some(0),
        "fail" => Some(1),
        "exit" => process::exit(3),
        "trap" => core::arch::wasm32::unreachable(),
        "loop" => loop {},
        "flood" => loop {
            answer(end.as_bytes());
        },
        "sleep" => loop {
            wasi::sleep_for_an_hour();
        },
        _ => None,
    }
}
