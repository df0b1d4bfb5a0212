// The places where the canary leaves a token.

import * as wasi from "./wasi";

/** The variables that the steps "static", "number" and "heap" change. */
export let planted: string = "none";
export let plantedNumber: f64 = 0.5;
const leaked: string[] = [];

/** Leaves the token in the place of the step. Returns false for an unknown step. */
export function plant(step: string, token: string): bool {
  if (step == "static") planted = token;
  else if (step == "number") plantedNumber = f64.parse(token.slice(5).replace("a", "1")) + 1;
  else if (step == "heap") onHeap(token);
  else if (step == "grow") inGrown(token);
  else if (step == "open") inOpenFile();
  else if (step == "opendir") inOpenDirectory();
  else if (step == "readdir") inListing();
  else if (step == "flags") inFlags();
  else if (step == "close") inClosed(0, 2);
  else if (step == "closepreopens") inClosed(wasi.FIRST_PREOPEN, wasi.LAST_PREOPEN);
  else if (step == "random") inRandom();
  else if (step == "clock") inClock();
  else return false;
  return true;
}

function onHeap(token: string): void {
  for (let times = 1; times <= 10_000; times *= 10) leaked.push(token.repeat(times));
}

function inGrown(token: string): void {
  const pages = 16;
  const old = memory.grow(pages);
  if (old < 0) return;
  const text = String.UTF8.encode(token);
  for (let at = 0; at < pages << 16; at += 1024) {
    memory.copy((<usize>old << 16) + at, changetype<usize>(text), text.byteLength);
  }
}

function inOpenFile(): void {
  for (let fd = wasi.FIRST_PREOPEN; fd <= wasi.LAST_PREOPEN; fd++) wasi.open(fd, "a", false);
}

function inOpenDirectory(): void {
  list(wasi.open(wasi.FIRST_PREOPEN, ".", true));
}

function inListing(): void {
  for (let fd = wasi.FIRST_PREOPEN; fd <= wasi.LAST_PREOPEN; fd++) list(fd);
}

/** Reads the beginning of a directory. */
function list(fd: i32): void {
  const entries = new ArrayBuffer(64);
  const used = new StaticArray<usize>(1);
  wasi.fd_readdir(fd, changetype<usize>(entries), entries.byteLength, 0, changetype<usize>(used));
}

function inFlags(): void {
  for (let fd: u32 = 0; fd <= wasi.LAST_PREOPEN; fd++) wasi.fd_fdstat_set_flags(fd, 1 | 4);
}

function inClosed(first: u32, last: u32): void {
  for (let fd = first; fd <= last; fd++) wasi.fd_close(fd);
}

function inRandom(): void {
  const bytes = new ArrayBuffer(40);
  wasi.random_get(changetype<usize>(bytes), bytes.byteLength);
}

function inClock(): void {
  const time = new StaticArray<u64>(1);
  for (let i = 0; i < 5; i++) wasi.clock_time_get(wasi.MONOTONIC, 1, changetype<usize>(time));
}
