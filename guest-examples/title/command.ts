// The tool as a WASI command: the text on standard input, the title on standard
// output. The WASI shim brings "process" and an abort that writes to standard error.

import { title } from "./title";

const blocks: ArrayBuffer[] = [];
let length = 0;
while (true) {
  const block = new ArrayBuffer(16384);
  const read = process.stdin.read(block);
  if (read == 0) break;
  blocks.push(block.slice(0, read));
  length += read;
}

// Decoded as one piece, since a block may end within a character.
const input = new Uint8Array(length);
for (let i = 0, at = 0; i < blocks.length; i++) {
  input.set(Uint8Array.wrap(blocks[i]), at);
  at += blocks[i].byteLength;
}
process.stdout.write(String.UTF8.encode(title(String.UTF8.decode(input.buffer))));
