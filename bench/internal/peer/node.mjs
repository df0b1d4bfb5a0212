// Usage: node.mjs MODULE FORM DIR. Runs a module with node:wasi, with a new instance for each call.
// Each line of standard input is {"input": "...", "calls": n}. The reply is a line
// {"output": "...", "nanos": [...]} or {"error": "..."}.

import { WASI } from "node:wasi";
import fs from "node:fs";
import path from "node:path";
import readline from "node:readline";

const [file, form, dir] = process.argv.slice(2);
const module = new WebAssembly.Module(fs.readFileSync(file));
const call = form === "command" ? command : reactor;

// Node's WASI needs files for its streams.
const stdin = path.join(dir, "stdin"), stdout = path.join(dir, "stdout");

function command(input) {
  const to = fs.openSync(stdout, "w+"), from = fs.openSync(stdin, "r");
  const wasi = new WASI({ version: "preview1", stdin: from, stdout: to, returnOnExit: true });
  // A command with the Go SDK also imports the reactor's functions, but calls none.
  const imports = { ...wasi.getImportObject(), wasmtool_v1: reactorImports(input, {}) };
  const code = wasi.start(new WebAssembly.Instance(module, imports));
  fs.closeSync(from);
  fs.closeSync(to);
  if (code !== 0) throw new Error(`exit code ${code}`);
  return fs.readFileSync(stdout);
}

function reactor(input) {
  const guest = { output: [], failure: [] };
  const wasi = new WASI({ version: "preview1" });
  const imports = { ...wasi.getImportObject(), wasmtool_v1: reactorImports(input, guest) };
  const instance = new WebAssembly.Instance(module, imports);
  guest.memory = instance.exports.memory;
  wasi.initialize(instance);
  if (instance.exports.call() !== 0) throw new Error(Buffer.concat(guest.failure).toString());
  return Buffer.concat(guest.output);
}

function reactorImports(input, guest) {
  const range = (pointer, length) => new Uint8Array(guest.memory.buffer, pointer >>> 0, length >>> 0);
  const append = (list) => (pointer, length) => {
    list.push(Buffer.from(range(pointer, length)));
    return 0;
  };
  let at = 0;
  return {
    input_len: () => input.length,
    input_read: (pointer, length) => {
      const piece = input.subarray(at, at + (length >>> 0));
      range(pointer, length).set(piece);
      at += piece.length;
      return piece.length;
    },
    output_write: append(guest.output),
    error_write: append(guest.failure),
  };
}

for await (const line of readline.createInterface({ input: process.stdin })) {
  const { input, calls } = JSON.parse(line);
  const bytes = Buffer.from(input), nanos = [];
  fs.writeFileSync(stdin, bytes);
  let answer;
  try {
    let output;
    for (let i = 0; i < calls; i++) {
      const start = process.hrtime.bigint();
      output = call(bytes);
      nanos.push(Number(process.hrtime.bigint() - start));
    }
    answer = { output: output.toString(), nanos };
  } catch (error) {
    answer = { error: String(error) };
  }
  process.stdout.write(JSON.stringify(answer) + "\n");
}
