// The job as a wasmtool reactor. It exports "call". The build copies wasmtool.ts from
// guest-examples/title next to this file.

import { count, NO_TEXT } from "./count";
import * as wasmtool from "./wasmtool";

export function call(): i32 {
  const answer = count(wasmtool.input());
  if (answer.length == 0) {
    wasmtool.error(NO_TEXT);
    return 1;
  }
  wasmtool.output(answer);
  return 0;
}
