//! A replacement for std::hint::black_box of newer versions of Rust.

/// Returns the value and hides it from the optimizer of the compiler.
pub fn opaque<T: Copy>(value: T) -> T {
    unsafe { std::ptr::read_volatile(&value) }
}
