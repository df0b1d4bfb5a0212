//! The tool as a reactor: wasmtool calls the exported function "call".

mod arguments;
mod slug;
mod wasmtool;

#[no_mangle]
pub extern "C" fn call() -> i32 {
    let answer = match String::from_utf8(wasmtool::input()) {
        Ok(input) => slug::run(&input),
        Err(err) => Err(err.to_string()),
    };
    match answer {
        Ok(slug) => {
            wasmtool::output(slug.as_bytes());
            0
        }
        Err(message) => {
            wasmtool::error(&message);
            1
        }
    }
}
