//! The tool as a WASI command: arguments on standard input, the slug on standard
//! output, or a message on standard error and exit code 1.

mod slug;
#[path = "../../sdk/rust/src/lib.rs"]
mod wasmtool;

fn main() -> std::process::ExitCode {
    wasmtool::run(slug::run)
}
