//! The functions of a reactor without the SDK, which would turn a panic into an exit.

/// Returns the whole input.
pub fn input() -> Vec<u8> {
    let mut input = vec![0; unsafe { input_len() }];
    let read = unsafe { input_read(input.as_mut_ptr(), input.len()) };
    input.truncate(read);
    input
}

/// Appends to the output.
pub fn output(bytes: &[u8]) {
    unsafe { output_write(bytes.as_ptr(), bytes.len()) };
}

/// Appends to the error message.
pub fn error(message: &str) {
    unsafe { error_write(message.as_ptr(), message.len()) };
}

#[link(wasm_import_module = "wasmtool_v1")]
extern "C" {
    fn input_len() -> usize;
    fn input_read(to: *mut u8, len: usize) -> usize;
    fn output_write(bytes: *const u8, len: usize) -> i32;
    fn error_write(bytes: *const u8, len: usize) -> i32;
}
