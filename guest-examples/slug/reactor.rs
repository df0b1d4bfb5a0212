//! The tool as a reactor: wasmtool calls the exported function "call".

mod slug;
#[path = "../../sdk/rust/src/lib.rs"]
mod wasmtool;

#[no_mangle]
pub extern "C" fn call() -> i32 {
    wasmtool::call(slug::run)
}
