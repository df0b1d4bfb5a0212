// The canary as a reactor.

import { canary } from "./canary";
import * as wasmtool from "./wasmtool";

export function call(): i32 {
  return canary(wasmtool.input(), wasmtool.output);
}
