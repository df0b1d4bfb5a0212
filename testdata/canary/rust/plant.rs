//! The places where the canary leaves a token.

use std::cell::RefCell;
use std::collections::hash_map::RandomState;
use std::io::Write;
use std::sync::Mutex;
use std::{env, fs, io, mem};

use crate::opaque::opaque;
use crate::wasi;

/// The variables that the steps "static" and "local" change.
pub static PLANTED: Mutex<String> = Mutex::new(String::new());

thread_local! {
    pub static LOCAL: RefCell<String> = RefCell::new(String::new());
}

/// Leaves the token in the place of the step. Returns false for an unknown step.
pub fn plant(step: &str, token: &str) -> bool {
    match step {
        "static" => *PLANTED.lock().unwrap() = token.to_string(),
        "local" => LOCAL.with(|local| *local.borrow_mut() = token.to_string()),
        "heap" => on_heap(token),
        "grow" => in_grown(token),
        "stack" => {
            opaque(on_stack(token.as_bytes(), 80));
        }
        "env" => env::set_var("CANARY", token),
        "open" => (0..3).for_each(|_| mem::forget(fs::File::open("/workspace/a"))),
        "opendir" => in_open_directory(),
        "readdir" => wasi::preopens().for_each(|fd| drop(wasi::list(fd, &mut [0; 64], 0))),
        "flags" => (0..=wasi::LAST_PREOPEN).for_each(wasi::change_flags),
        "scratch" => drop(fs::write("/tmp/left", token)),
        "close" => (0..=2).for_each(wasi::close),
        "closepreopens" => wasi::preopens().for_each(wasi::close),
        "random" => {
            wasi::random();
            drop(RandomState::new());
        }
        "clock" => (0..5).for_each(|_| drop(wasi::now(wasi::MONOTONIC))),
        // A line without a newline stays in the buffer of standard output.
        "buffer" => drop(io::stdout().write_all(token.as_bytes())),
        _ => return false,
    }
    true
}

fn on_heap(token: &str) {
    for times in [1, 10, 100, 1000, 10_000] {
        mem::forget(token.repeat(times));
    }
}

fn in_grown(token: &str) {
    const PAGES: usize = 16;
    let old = core::arch::wasm32::memory_grow(0, PAGES);
    if old == usize::MAX {
        return;
    }
    for at in (0..PAGES << 16).step_by(1024) {
        let to = ((old << 16) + at) as *mut u8;
        unsafe { to.copy_from_nonoverlapping(token.as_ptr(), token.len()) };
    }
}

/// Recurses as deeply as the stack of a Rust program allows.
fn on_stack(token: &[u8], depth: u32) -> u8 {
    let mut frame = [0; 512];
    frame[..token.len()].copy_from_slice(token);
    let frame = opaque(frame);
    match depth {
        0 => frame[0],
        _ => frame[1].wrapping_add(on_stack(token, depth - 1)),
    }
}

fn in_open_directory() {
    if let Ok(mut entries) = fs::read_dir("/workspace") {
        drop(entries.next());
        mem::forget(entries);
    }
}
