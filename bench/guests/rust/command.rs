//! The job as a WASI command, with its input on standard input and its answer on standard output.

mod count;
#[path = "../../../sdk/rust/src/lib.rs"]
mod wasmtool;

use std::io::{self, Read};
use std::process::ExitCode;

fn main() -> ExitCode {
    let mut input = String::new();
    let answer = match io::stdin().read_to_string(&mut input) {
        Ok(_) => count::count(&input),
        Err(err) => Err(err.to_string()),
    };
    match answer {
        Ok(answer) => {
            print!("{answer}");
            ExitCode::SUCCESS
        }
        Err(message) => {
            eprint!("{message}");
            ExitCode::FAILURE
        }
    }
}
