// The functions of a reactor without the SDK, which would turn a trap into an exit.

/** Returns the whole input. */
export function input(): string {
  const bytes = new ArrayBuffer(input_len());
  const read = input_read(changetype<usize>(bytes), bytes.byteLength);
  return String.UTF8.decodeUnsafe(changetype<usize>(bytes), read);
}

/** Appends to the output. */
export function output(text: string): void {
  const bytes = String.UTF8.encode(text);
  output_write(changetype<usize>(bytes), bytes.byteLength);
}

/** Appends to the error message. */
export function error(text: string): void {
  const bytes = String.UTF8.encode(text);
  error_write(changetype<usize>(bytes), bytes.byteLength);
}

/** Replaces AssemblyScript's abort, which would need another import. */
export function abort(message: string | null, file: string | null, line: u32, column: u32): void {
  error(`${message ? message : "aborted"} (${file ? file : "?"}:${line}:${column})`);
  unreachable();
}

@external("wasmtool_v1", "input_len")
declare function input_len(): i32;
@external("wasmtool_v1", "input_read")
declare function input_read(to: usize, length: i32): i32;
@external("wasmtool_v1", "output_write")
declare function output_write(bytes: usize, length: i32): i32;
@external("wasmtool_v1", "error_write")
declare function error_write(bytes: usize, length: i32): i32;
