//! The job as a wasmtool reactor. It exports "call".

mod count;
#[path = "../../../guest-examples/slug/wasmtool.rs"]
mod wasmtool;

#[no_mangle]
pub extern "C" fn call() -> i32 {
    let answer = match String::from_utf8(wasmtool::input()) {
        Ok(input) => count::count(&input),
        Err(err) => Err(err.to_string()),
    };
    match answer {
        Ok(answer) => {
            wasmtool::output(answer.as_bytes());
            0
        }
        Err(message) => {
            wasmtool::error(&message);
            1
        }
    }
}
