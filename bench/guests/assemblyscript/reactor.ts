// The job as a reactor for wasmtool: it exports "call". The build puts wasmtool.ts of
// guest-examples/title beside this file.

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
