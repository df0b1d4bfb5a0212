//! The tool as a WASI command: arguments on standard input, the slug on standard
//! output, or a message on standard error and exit code 1.

mod arguments;
mod slug;

use std::io::{self, Read};
use std::process::ExitCode;

fn main() -> ExitCode {
    let mut input = String::new();
    let answer = match io::stdin().read_to_string(&mut input) {
        Ok(_) => slug::run(&input),
        Err(err) => Err(err.to_string()),
    };
    match answer {
        Ok(slug) => {
            print!("{slug}");
            ExitCode::SUCCESS
        }
        Err(message) => {
            eprintln!("{message}");
            ExitCode::FAILURE
        }
    }
}
