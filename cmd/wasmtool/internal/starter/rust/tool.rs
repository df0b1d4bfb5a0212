// The tool gets the argument "text" on standard input, as tool.toml says, and writes the result to
// standard output.
use std::io::{self, Read};
use std::process::ExitCode;

fn main() -> ExitCode {
    let mut text = String::new();
    if let Err(error) = io::stdin().read_to_string(&mut text) {
        return fail(&error.to_string());
    }
    let words = text.split_whitespace().count();
    if words == 0 {
        return fail("the text has no words");
    }
    print!("{words}");
    ExitCode::SUCCESS
}

/// Ends the call with a message for the model.
fn fail(message: &str) -> ExitCode {
    eprintln!("{message}");
    ExitCode::FAILURE
}
