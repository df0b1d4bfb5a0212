//! The program as a reactor.

mod protocol;

#[no_mangle]
pub extern "C" fn call() -> i32 {
    wasmtool::call(protocol::run)
}
