// The program as a WASI command.

import { protocol } from "./protocol";
import * as wasmtool from "./wasmtool";

wasmtool.run(protocol);
