// The canary as a WASI command. The WASI shim provides "process" and an abort that
// writes to standard error.

import { canary } from "./canary";

const block = new ArrayBuffer(4096);
const length = process.stdin.read(block);
const code = canary(String.UTF8.decode(block.slice(0, length)), (text) => process.stdout.write(String.UTF8.encode(text)));
if (code != 0) process.exit(code);
