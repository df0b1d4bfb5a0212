// The tool as a reactor: wasmtool calls the exported function "call".

import { title } from "./title";
import * as wasmtool from "./wasmtool";

export function call(): i32 {
  wasmtool.output(title(wasmtool.input()));
  return 0;
}
