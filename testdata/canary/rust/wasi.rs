//! The WASI functions that the standard library does not expose.

use std::ops::RangeInclusive;

pub const LAST_PREOPEN: u32 = 7;
pub const REALTIME: u32 = 0;
pub const MONOTONIC: u32 = 1;

/// The descriptors that may be preopens.
pub fn preopens() -> RangeInclusive<u32> {
    3..=LAST_PREOPEN
}

/// Returns the type and the flags of an open descriptor.
pub fn describe(fd: u32) -> Option<(u8, u16)> {
    let mut stat = Fdstat::default();
    (unsafe { fd_fdstat_get(fd, &mut stat) } == 0).then_some((stat.kind, stat.flags))
}

/// Sets the append and nonblock flags of a descriptor.
pub fn change_flags(fd: u32) {
    unsafe { fd_fdstat_set_flags(fd, 1 | 4) };
}

pub fn close(fd: u32) {
    unsafe { fd_close(fd) };
}

/// Returns the directory entries that fit, or the error number.
pub fn list(fd: u32, entries: &mut [u8], cookie: u64) -> Result<&[u8], u32> {
    let mut used = 0;
    match unsafe { fd_readdir(fd, entries.as_mut_ptr(), entries.len(), cookie, &mut used) } {
        0 => Ok(&entries[..used]),
        err => Err(err),
    }
}

/// Splits off the name of the first entry, unless the name is incomplete.
pub fn first_name(entries: &[u8]) -> Option<(&[u8], &[u8])> {
    const HEADER: usize = 24;
    let length = u32::from_le_bytes(entries.get(16..20)?.try_into().ok()?) as usize;
    let name = entries.get(HEADER..HEADER + length)?;
    Some((name, &entries[HEADER + length..]))
}

pub fn random() -> [u64; 2] {
    let mut drawn = [0; 2];
    unsafe { random_get(drawn.as_mut_ptr() as *mut u8, 16) };
    drawn
}

/// Reads a clock in nanoseconds.
pub fn now(clock: u32) -> u64 {
    let mut time = 0;
    unsafe { clock_time_get(clock, 1, &mut time) };
    time
}

pub fn sleep_for_an_hour() {
    let mut subscription = [0u64; 6];
    subscription[2] = MONOTONIC as u64;
    subscription[3] = 3600 * 1_000_000_000;
    let mut event = [0u64; 4];
    let mut happened = 0;
    unsafe { poll_oneoff(subscription.as_ptr(), event.as_mut_ptr(), 1, &mut happened) };
}

#[repr(C)]
#[derive(Default)]
struct Fdstat {
    kind: u8,
    flags: u16,
    rights: [u64; 2],
}

#[link(wasm_import_module = "wasi_snapshot_preview1")]
extern "C" {
    fn fd_fdstat_get(fd: u32, stat: *mut Fdstat) -> u32;
    fn fd_fdstat_set_flags(fd: u32, flags: u32) -> u32;
    fn fd_close(fd: u32) -> u32;
    fn fd_readdir(fd: u32, entries: *mut u8, size: usize, cookie: u64, used: *mut usize) -> u32;
    fn random_get(to: *mut u8, size: usize) -> u32;
    fn clock_time_get(clock: u32, precision: u64, time: *mut u64) -> u32;
    fn poll_oneoff(
        subscriptions: *const u64,
        events: *mut u64,
        count: usize,
        happened: *mut usize,
    ) -> u32;
}
