//! The canary as a reactor.

mod canary;
mod look;
mod opaque;
mod plant;
mod wasi;
#[allow(dead_code)] // the canary fails without a message
mod wasmtool;

/// Writes bytes as output.
fn answer(bytes: &[u8]) {
    wasmtool::output(bytes);
}

#[no_mangle]
pub extern "C" fn call() -> i32 {
    match String::from_utf8(wasmtool::input()) {
        Ok(input) => canary::run(&input),
        Err(_) => 1,
    }
}
