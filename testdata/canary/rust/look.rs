//! The report: all of memory first, before the report itself changes it.

use std::collections::hash_map::RandomState;
use std::env;
use std::hash::{BuildHasher, Hasher};
use std::io::Write;
use std::ops::Range;

use crate::opaque::opaque;
use crate::{plant, wasi};

const LAST_DESCRIPTOR: u32 = 40;
const MOST_FOUND: usize = 64;
const TOKEN_DIGITS: usize = 16;

/// Returns the report. `pages` is the number of pages by which memory is grown.
pub fn look(pages: usize) -> Vec<u8> {
    let mut report = Vec::with_capacity(16 << 10);
    look_at_memory(&mut report);
    look_at_state(&mut report);
    look_at_descriptors(&mut report);
    for fd in wasi::preopens() {
        look_at_listing(&mut report, fd, 3);
        look_at_listing(&mut report, fd, 0);
    }
    look_at_host(&mut report);
    look_at_more(&mut report, pages);
    report
}

fn hash(range: Range<usize>) -> u64 {
    range.step_by(8).fold(14695981039346656037, |hash, at| {
        let word = unsafe { (at as *const u64).read_volatile() };
        (hash ^ word).wrapping_mul(1099511628211)
    })
}

fn look_at_memory(report: &mut Vec<u8>) {
    let pages = core::arch::wasm32::memory_size(0);
    let _ = writeln!(report, "pages {pages:x}");
    let end = pages << 16;
    let base = opaque(0usize);
    let _ = writeln!(report, "hash {:x}", hash(base..end));
    let byte = |at: usize| unsafe { (at as *const u8).read_volatile() };
    let mut found = 0;
    for at in base..end - 5 - TOKEN_DIGITS {
        // Compare in code, because the search would find a string in memory.
        let token = byte(at) == b'C'
            && byte(at + 1) == b'N'
            && byte(at + 2) == b'R'
            && byte(at + 3) == b'Y'
            && byte(at + 4) == b'-';
        if token && found < MOST_FOUND {
            let _ = write!(report, "found {at:x} ");
            report.extend((at + 5..at + 5 + TOKEN_DIGITS).map(byte));
            report.push(b'\n');
            found += 1;
        }
    }
}

/// Reports the state of the language runtime.
fn look_at_state(report: &mut Vec<u8>) {
    let planted = plant::PLANTED.lock().unwrap();
    let _ = writeln!(report, "static {planted}");
    plant::LOCAL.with(|local| {
        let _ = writeln!(report, "local {}", local.borrow());
    });
    let _ = writeln!(report, "env {:?}", env::var_os("CANARY"));
    let local = opaque(0u8);
    let _ = writeln!(report, "stack {:p}", &local);
    let _ = writeln!(report, "heap {:p}", Box::leak(Box::new([0u8; 100])));
    let seed = RandomState::new().build_hasher().finish();
    let _ = writeln!(report, "draw {seed:x}");
}

fn look_at_descriptors(report: &mut Vec<u8>) {
    for fd in 0..=LAST_DESCRIPTOR {
        if let Some((kind, flags)) = wasi::describe(fd) {
            let _ = writeln!(report, "fd {fd:x} {kind:x} {flags:x}");
        }
    }
}

/// Lists the entries from a cookie on, and reports their names.
fn look_at_listing(report: &mut Vec<u8>, fd: u32, cookie: u64) {
    let mut entries = [0; 1024];
    let _ = write!(report, "list {fd:x} {cookie:x}");
    match wasi::list(fd, &mut entries, cookie) {
        Ok(mut left) => {
            while let Some((name, rest)) = wasi::first_name(left) {
                report.push(b' ');
                report.extend(name);
                left = rest;
            }
        }
        Err(err) => {
            let _ = write!(report, " error {err:x}");
        }
    }
    report.push(b'\n');
}

/// Reports the content of newly grown memory.
fn look_at_more(report: &mut Vec<u8>, pages: usize) {
    let old = core::arch::wasm32::memory_grow(0, pages);
    let _ = write!(report, "grow {old:x}");
    if old != usize::MAX {
        let _ = write!(report, " {:x}", hash(old << 16..(old + pages) << 16));
    }
    report.push(b'\n');
}

fn look_at_host(report: &mut Vec<u8>) {
    let [a, b] = wasi::random();
    let _ = writeln!(report, "draw {a:x} {b:x}");
    for _ in 0..2 {
        let _ = writeln!(
            report,
            "clock {:x} {:x}",
            wasi::now(wasi::REALTIME),
            wasi::now(wasi::MONOTONIC)
        );
    }
}
