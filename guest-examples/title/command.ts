// The tool as a WASI command: the text on standard input, the title on standard output.

import { title } from "./title";
import * as wasmtool from "../../sdk/assemblyscript/index";

wasmtool.run(title);
