// Starts the script of a tool: boot.js SCRIPT. A script that exports a function run, or a function
// as its default, is evaluated before the arguments are read, so that its state can be saved; the
// function then gets the arguments, and its result is the output. Any other script is a program: it
// is evaluated when the arguments are there, gets their text from readInput(), and prints its output.

import { sys } from "wasmtool:sys";

const { parse, stringify } = JSON, { exec } = RegExp.prototype, { apply } = Reflect;
const { isError } = Error, wellFormed = String.prototype.isWellFormed, Failure = Error, Syntax = SyntaxError, text = String;
const half = /(?<!\\)(?:\\\\)*\\ud[89a-f]/; // what stringify makes of a lone surrogate
const script = sys.args[2];

let input;
const readInput = () => (input ??= sys.text(sys.read(0)));
Object.defineProperty(globalThis, "readInput", { value: readInput, writable: true, configurable: true });

// exported evaluates the script and returns one of its exports. Without that export, it returns
// undefined, and the script is not evaluated: a module is linked before any code of it runs.
async function exported(name) {
  try {
    return (await sys.evaluate(`export { ${name} as it } from ${stringify(script)};`, `wasmtool:${name}`)).it;
  } catch (e) {
    if (e instanceof Syntax && e.message === `Could not find export '${name}' in module '${script}'`) return undefined;
    throw e;
  }
}

// output returns the text of what run returned.
function output(result) {
  if (result === undefined) return "";
  if (isError(result)) throw result;
  if (typeof result === "string") {
    if (!apply(wellFormed, result, [])) throw new Failure("run returned a string with half of a character (a lone surrogate)");
    return result;
  }
  let json;
  try {
    json = stringify(result);
  } catch (cause) {
    throw new Failure("run returned a value that is not JSON", { cause });
  }
  if (json === undefined) throw new Failure(`run returned a ${typeof result}, which is not JSON`);
  if (apply(exec, half, [json]) !== null) throw new Failure("run returned a string with half of a character (a lone surrogate)");
  return json;
}

let run = await exported("run");
if (run === undefined) {
  const other = await exported("default");
  run = typeof other === "object" && other !== null ? other.run : other;
  if (run === undefined && other !== undefined) run = other;
}
if (run === undefined) {
  readInput();
  await import(script);
} else {
  if (typeof run !== "function") throw new Failure(`${script} exports run or a default that is not a function`);
  sys.logTo(2); // the output is the result
  const args = parse(readInput());
  sys.finish(output(await run(args)));
}
