// Runs the script of a call of the tool code as the body of an async function.

import { sys } from "wasmtool:sys";
import { Failed, Result, isContent, tools } from "wasmtool";

const { stringify } = JSON, { isArray } = Array, { isError } = Error;
const limit = 100_000; // characters of what is printed

let printed = "", dropped = 0;

function collect(line) {
  const room = limit - printed.length;
  printed += line.slice(0, room);
  dropped += Math.max(line.length - room, 0);
}

// output returns what the script printed, and a value behind it.
function output(value) {
  let text = printed.slice(0, -1); // without the end of the last line
  if (dropped) text = `${printed}\n(${dropped} more characters were printed; print less)`;
  return text && value ? `${text}\n${value}` : text || value;
}

// failure returns an error of the script as a result, without the place in this file.
function failure(message) {
  const lines = message.split("\n").filter((line) => !line.includes("(/tool/main.js:"));
  return new Result(output(lines.join("\n")), undefined, { is_error: true });
}

// What scripts for Node.js or browsers use, and what an import looks like to a parser.
const absent = /cannot find the module|\b(require|process|Buffer|fetch|XMLHttpRequest) is not defined/;
const imports = /^\s*(import\b[^(.]|export\b)/m;
const hint = "scripts have no packages, import statements, files and network, and nothing of Node.js; use tools: tools.search finds them";

// explain describes an error of the script, with a hint if the script expects what is not there.
function explain(e, script) {
  const text = sys.describe(e);
  return absent.test(text) || e instanceof SyntaxError && imports.test(script) ? `${text}\n${hint}` : text;
}

export async function run({ script, stdin = "", typescript = false }) {
  sys.logTo(collect);
  Object.assign(globalThis, { tools, stdin, print: (...values) => console.log(...values) });
  let value;
  try {
    const body = typescript ? script : `export default async () => {${script}\n}`;
    value = await (await sys.evaluate(body, typescript ? "script.ts" : "script.js")).default();
  } catch (e) {
    return failure(e instanceof Failed ? e.message : explain(e, script));
  }
  if (isError(value)) return failure(sys.describe(value));
  if (value instanceof Result) return value;
  const blocks = isArray(value) ? value : [value];
  if (blocks.length && blocks.every(isContent)) {
    const text = output("");
    return new Result(text ? [text, ...blocks] : blocks);
  }
  if (typeof value === "function" || typeof value === "symbol") value = `${typeof value}`;
  return output(typeof value === "string" ? value : value === undefined ? "" : stringify(value));
}
