// The tool as a reactor: wasmtool calls the exported function "call".

import { title } from "./title";
import * as wasmtool from "../../sdk/assemblyscript/index";

export function call(): i32 {
  return wasmtool.call(title);
}
