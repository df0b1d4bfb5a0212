// The tool gets its arguments as a JSON object, and returns the result. wasmtool.ts has http, kv, log,
// progress and more.
import * as wasmtool from "./wasmtool";

export function call(): i32 {
  return wasmtool.call(count);
}

function count(input: string): string {
  const args = wasmtool.Json.parse(input);
  if (!args || !args.get("text").isString) return wasmtool.fail("text: give a string");
  const text = args.get("text").text;
  let words = 0;
  let inside = false;
  for (let i = 0; i < text.length; i++) {
    const space = text.charCodeAt(i) <= 32;
    if (!space && !inside) words++;
    inside = !space;
  }
  if (words == 0) return wasmtool.fail("the text has no words"); // for the model
  return words.toString();
}
