// The report: all of memory first, before the report itself changes it.

import { planted, plantedNumber } from "./plant";
import * as wasi from "./wasi";

const LAST_DESCRIPTOR: u32 = 40;
const MOST_FOUND = 64;
const TOKEN_DIGITS = 16;

/** Returns the report. pages is the number of pages by which memory is grown. */
export function look(pages: i32): string {
  let report = lookAtMemory();
  report += `static ${planted}\nnumber ${plantedNumber}\nheap ${changetype<usize>(new ArrayBuffer(100))}\n`;
  report += lookAtDescriptors();
  for (let fd = wasi.FIRST_PREOPEN; fd <= wasi.LAST_PREOPEN; fd++) {
    report += lookAtListing(fd, 3);
    report += lookAtListing(fd, 0);
  }
  report += lookAtHost();
  return report + lookAtMore(pages);
}

function hash(start: usize, end: usize): string {
  let hash: u64 = 14695981039346656037;
  for (let at = start; at < end; at += 8) hash = (hash ^ load<u64>(at)) * 1099511628211;
  return hash.toString(16);
}

function lookAtMemory(): string {
  const pages = memory.size();
  const end = <usize>pages << 16;
  let report = `pages ${pages}\nhash ${hash(0, end)}\n`;
  let found = 0;
  for (let at: usize = 0; at < end - 2 * (5 + TOKEN_DIGITS) && found < MOST_FOUND; at++) {
    // Strings of the language are UTF-16, and data from the host is UTF-8.
    const width: usize = isToken(at, 1) ? 1 : isToken(at, 2) ? 2 : 0;
    if (width == 0) continue;
    report += `found ${at} `;
    for (let i: usize = 5; i < 5 + TOKEN_DIGITS; i++) report += String.fromCharCode(load<u8>(at + i * width));
    report += "\n";
    found++;
  }
  return report;
}

// Compares in code, because the search would find a string in memory.
function isToken(at: usize, width: usize): bool {
  return load<u8>(at) == 0x43 && load<u8>(at + width) == 0x4e && load<u8>(at + 2 * width) == 0x52 &&
    load<u8>(at + 3 * width) == 0x59 && load<u8>(at + 4 * width) == 0x2d;
}

function lookAtDescriptors(): string {
  let report = "";
  const stat = new StaticArray<u16>(12);
  for (let fd: u32 = 0; fd <= LAST_DESCRIPTOR; fd++) {
    if (wasi.fd_fdstat_get(fd, changetype<usize>(stat)) != 0) continue;
    report += `fd ${fd} ${stat[0]} ${stat[1]}\n`;
  }
  return report;
}

/** Lists the entries from a cookie on, and reports their names. */
function lookAtListing(fd: u32, cookie: u64): string {
  const entries = new ArrayBuffer(1024);
  const used = new StaticArray<usize>(1);
  const start = changetype<usize>(entries);
  const err = wasi.fd_readdir(fd, start, entries.byteLength, cookie, changetype<usize>(used));
  let report = `list ${fd} ${cookie} ${err}`;
  for (let at: usize = 0; err == 0 && at + 24 <= used[0];) {
    const length = load<u32>(start + at, 16);
    at += 24;
    if (at + length > used[0]) break;
    report += " " + String.UTF8.decodeUnsafe(start + at, length);
    at += length;
  }
  return report + "\n";
}

/** Reports the content of newly grown memory. */
function lookAtMore(pages: i32): string {
  const old = memory.grow(pages);
  const grown = old < 0 ? "nothing" : hash(<usize>old << 16, <usize>(old + pages) << 16);
  return `grow ${old} ${grown}\n`;
}

function lookAtHost(): string {
  const number = new StaticArray<u64>(1);
  wasi.random_get(changetype<usize>(number), 8);
  let report = `draw ${number[0].toString(16)}\n`;
  for (let clock: u32 = 0; clock < 4; clock++) {
    wasi.clock_time_get(clock & 1, 1, changetype<usize>(number));
    report += `clock ${number[0]}\n`;
  }
  return report;
}
