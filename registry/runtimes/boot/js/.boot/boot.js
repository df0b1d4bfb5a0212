// Starts the script of a tool: boot.js NAME FORM PRELOAD [ARGUMENT]... A function is imported before
// the arguments are read, so that its state can be saved. A program is evaluated when they are there.

import { sys } from "wasmtool:sys";
import { Failed, resultText } from "wasmtool";

const { parse, stringify } = JSON, { exec } = RegExp.prototype, { apply } = Reflect;
const { isError } = Error, wellFormed = String.prototype.isWellFormed, Failure = Error, Syntax = SyntaxError;
const half = /(?<!\\)(?:\\\\)*\\ud[89a-f]/; // what stringify makes of a lone surrogate
const [, , name, form, preload, ...scriptArgs] = sys.args;
const script = `/tool/${name}`;
Object.defineProperty(globalThis, "scriptArgs", { value: scriptArgs, writable: true, configurable: true });

let input;
const readInput = () => (input ??= sys.text(sys.read(0)));
Object.defineProperty(globalThis, "readInput", { value: readInput, writable: true, configurable: true });

// exportedRun evaluates the script and returns its function run. A module is linked before any code
// of it runs.
async function exportedRun() {
  let run;
  try {
    run = (await sys.evaluate(`export { run as it } from ${stringify(script)};`, "wasmtool:run")).it;
  } catch (e) {
    if (e instanceof Syntax && e.message === `Could not find export 'run' in module '${script}'`) {
      throw new Failure(`${name} exports no function run; write 'export function run(args)', or program = true in [script] if it reads its standard input`);
    }
    throw e;
  }
  if (typeof run !== "function") throw new Failure(`${name} exports a run that is not a function`);
  return run;
}

// output returns the JSON text of a result.
function output(value) {
  if (isError(value)) throw value;
  if (typeof value === "string" && !apply(wellFormed, value, [])) value = { lone: "\ud800" };
  let json;
  try {
    json = resultText(value, form === "typed");
  } catch (cause) {
    throw new Failure("run returned a value that is not JSON", { cause });
  }
  if (json === undefined) throw new Failure(`run returned a ${typeof value}, which is not JSON`);
  if (apply(exec, half, [json]) !== null) throw new Failure("run returned a string with half of a character (a lone surrogate)");
  return json;
}

for (const other of preload ? preload.split(",") : []) await import(other);
if (form === "program") {
  readInput();
  await import(script);
} else {
  sys.logTo(2); // the output is the result
  const run = await exportedRun();
  const args = parse(readInput());
  let value;
  try {
    value = await run(args);
  } catch (e) {
    if (!(e instanceof Failed)) throw e;
    value = e.result;
  }
  sys.finish(output(value));
}
