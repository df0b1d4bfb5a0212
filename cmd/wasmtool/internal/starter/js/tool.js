// wasmtool has http, kv, log, progress and more for the tool.
import * as wasmtool from "wasmtool";

// run gets the arguments, which match [parameters] of tool.toml, and returns the result.
export function run(args) {
  const words = args.text.split(/\s+/).filter(Boolean);
  if (!words.length) throw new wasmtool.Error("the text has no words");
  return words.length;
}
