// wasmtool has http, kv, log, progress and more for the tool.
import * as wasmtool from "wasmtool";

interface Args {
  text: string;
}

// run gets the arguments, which match [parameters] of tool.toml, and returns the result.
export function run({ text }: Args): number {
  const words = text.split(/\s+/).filter(Boolean);
  if (!words.length) throw new wasmtool.Error("the text has no words");
  return words.length;
}
