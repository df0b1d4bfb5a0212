// The job as a wasmtool reactor. It exports "call". The build copies the SDK as wasmtool.ts next to
// this file.

import { count, NO_TEXT } from "./count";
import * as wasmtool from "./wasmtool";

export function call(): i32 {
  return wasmtool.call((input: string): string => {
    const answer = count(input);
    return answer.length ? answer : wasmtool.fail(NO_TEXT);
  });
}
