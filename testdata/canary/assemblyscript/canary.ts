// The input of the canary: "look PAGES", or "plant TOKEN STEP... END". See
// ../README.md for the report.

import { look } from "./look";
import { plant } from "./plant";
import * as wasi from "./wasi";

/**
 * Executes the input and passes the report to answer. Returns 0, or 1 for a
 * failure, unless the input asks for another ending.
 */
export function canary(input: string, answer: (text: string) => void): i32 {
  const words = input.split(" ");
  if (words.length < 2) return 1;
  if (words[0] == "look") {
    answer(look(I32.parseInt(words[1])));
    return 0;
  }
  for (let i = 2; i < words.length; i++) {
    const word = words[i];
    if (word == "return") return 0;
    if (word == "fail") return 1;
    if (word == "exit") wasi.proc_exit(3);
    if (word == "trap") unreachable();
    if (word == "loop") while (true) {}
    if (word == "flood") while (true) answer(word);
    if (word == "sleep") while (true) wasi.sleepForAnHour();
    if (!plant(word, words[1])) return 1;
  }
  return 1;
}
