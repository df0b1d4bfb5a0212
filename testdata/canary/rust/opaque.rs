//! What std::hint::black_box is in newer versions of Rust.

/// Returns the value, of which the compiler then knows nothing.
pub fn opaque<T: Copy>(value: T) -> T {
    unsafe { std::ptr::read_volatile(&value) }
}
