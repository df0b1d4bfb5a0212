//! The program as a WASI command.

mod protocol;

fn main() -> std::process::ExitCode {
    wasmtool::run(protocol::run)
}
