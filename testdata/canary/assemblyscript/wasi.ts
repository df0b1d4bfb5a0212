// The WASI functions that the canary calls directly.

export const LAST_PREOPEN: u32 = 7;
export const FIRST_PREOPEN: u32 = 3;
export const MONOTONIC: u32 = 1;

/** Sleeps in the host. */
export function sleepForAnHour(): void {
  const subscription = new StaticArray<u64>(6);
  subscription[2] = MONOTONIC;
  subscription[3] = 3600 * 1_000_000_000;
  const event = new StaticArray<u64>(4);
  const happened = new StaticArray<u32>(1);
  poll_oneoff(changetype<usize>(subscription), changetype<usize>(event), 1, changetype<usize>(happened));
}

/** Opens a path below a preopen for reading and returns its descriptor, or -1. */
export function open(preopen: u32, path: string, directory: bool): i32 {
  const READ: u64 = 1 << 1;
  const READDIR: u64 = 1 << 14;
  const name = String.UTF8.encode(path);
  const fd = new StaticArray<i32>(1);
  const err = path_open(
    preopen, 0, changetype<usize>(name), name.byteLength, directory ? 2 : 0,
    directory ? READDIR : READ, 0, 0, changetype<usize>(fd),
  );
  return err == 0 ? fd[0] : -1;
}

@external("wasi_snapshot_preview1", "fd_fdstat_get")
export declare function fd_fdstat_get(fd: u32, stat: usize): u32;
@external("wasi_snapshot_preview1", "fd_fdstat_set_flags")
export declare function fd_fdstat_set_flags(fd: u32, flags: u32): u32;
@external("wasi_snapshot_preview1", "fd_close")
export declare function fd_close(fd: u32): u32;
@external("wasi_snapshot_preview1", "fd_readdir")
export declare function fd_readdir(fd: u32, entries: usize, size: usize, cookie: u64, used: usize): u32;
@external("wasi_snapshot_preview1", "random_get")
export declare function random_get(to: usize, size: usize): u32;
@external("wasi_snapshot_preview1", "clock_time_get")
export declare function clock_time_get(clock: u32, precision: u64, time: usize): u32;
@external("wasi_snapshot_preview1", "proc_exit")
export declare function proc_exit(code: u32): void;
@external("wasi_snapshot_preview1", "poll_oneoff")
declare function poll_oneoff(subscriptions: usize, events: usize, count: usize, happened: usize): u32;
@external("wasi_snapshot_preview1", "path_open")
declare function path_open(
  fd: u32, lookup: u32, path: usize, length: usize, create: u32, rights: u64, inheriting: u64, flags: u32, opened: usize,
): u32;
