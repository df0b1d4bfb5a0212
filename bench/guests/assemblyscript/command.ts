// The job as a WASI command, with its input on standard input and its answer on standard output.

import { count, NO_TEXT } from "./count";

const parts: ArrayBuffer[] = [];
let length = 0;
while (true) {
  const block = new ArrayBuffer(4096);
  const read = process.stdin.read(block);
  if (read == 0) break;
  parts.push(block.slice(0, read));
  length += read;
}
const input = new Uint8Array(length);
for (let i = 0, at = 0; i < parts.length; i++) {
  input.set(Uint8Array.wrap(parts[i]), at);
  at += parts[i].byteLength;
}
const answer = count(String.UTF8.decode(input.buffer));
if (answer.length == 0) {
  process.stderr.write(String.UTF8.encode(NO_TEXT));
  process.exit(1);
}
process.stdout.write(String.UTF8.encode(answer));
