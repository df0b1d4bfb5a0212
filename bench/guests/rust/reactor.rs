//! The job as a wasmtool reactor. It exports "call".

mod count;
#[path = "../../../sdk/rust/src/lib.rs"]
mod wasmtool;

#[no_mangle]
pub extern "C" fn call() -> i32 {
    wasmtool::call(count::count)
}
