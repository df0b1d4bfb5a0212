// The program as a reactor.

import { protocol } from "./protocol";
import * as wasmtool from "./wasmtool";

export function call(): i32 {
  return wasmtool.call(protocol);
}
