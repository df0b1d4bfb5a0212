// Work without end.
import * as wasmtool from "wasmtool";
import { sys } from "wasmtool:sys";

const forever = (f) => { for (;;) f(); };
const ways = {
  loop: () => forever(() => {}), regex: () => /^(a+)+$/.test("a".repeat(64) + "b"), microtasks: async () => { for (;;) await null; },
  timers: () => new Promise(() => { const again = () => setTimeout(again); again(); }), interval: () => new Promise(() => setInterval(() => {}, 0)),
  generator: () => { for (const x of (function* () { for (;;) yield 1; })()); },
  power: () => 3n ** 100000000n, logs: () => forever(() => wasmtool.log("x".repeat(1000))), progress: () => forever(() => wasmtool.progress(1)),
  errors: () => forever(() => console.error("x".repeat(10000))), catches: () => { for (;;) try { for (;;); } catch { continue; } }, input: () => forever(() => sys.read(0)),
  rejections: () => new Promise(() => { const again = () => Promise.reject(1).catch(again); again(); }),
};
export const run = ({ spin }) => ways[spin]();
