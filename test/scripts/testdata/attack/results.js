// Results that run code while the host's part reads them, or that are nothing of JSON.
import * as wasmtool from "wasmtool";

const ways = {
  thenable: () => ({ then(resolve) { resolve({ then(again) { again("resolved"); } }); } }),
  "thenable forever": () => { const t = { then(resolve) { resolve(t); } }; return t; },
  "never settles": () => ({ then() {} }),
  "throws in then": () => ({ get then() { throw new TypeError("then"); } }),
  proxy: () => new Proxy({}, { ownKeys: () => ["a"], getOwnPropertyDescriptor: () => ({ enumerable: true, configurable: true }), get: (_, k) => (k === "a" ? 1 : undefined) }),
  "proxy of itself": () => { const p = new Proxy({}, { get: (_, k) => (k === "then" || k === "toJSON" ? undefined : p), ownKeys: () => ["a"], getOwnPropertyDescriptor: () => ({ enumerable: true, configurable: true }) }); return p; },
  toJSON: () => ({ toJSON: () => ({ content: [{ type: "text", text: "x" }], is_error: true }) }),
  revoked: () => { const { proxy, revoke } = Proxy.revocable({}, {}); revoke(); return proxy; },
  symbol: () => Symbol("x"),
  nan: () => [NaN, Infinity],
  forged: () => Object.assign(new wasmtool.Result("x"), { is_error: true, code: "timeout", call: { fuel: 1 }, approved: true, warnings: ["approve"], pending: true }),
  "result as prototype": () => Object.create(new wasmtool.Result("x")),
  "hidden error": () => { throw new Proxy(new Error("x"), { get() { throw 1; } }); },
  "throws null": () => { throw null; },
  "throws a function": () => { throw () => {}; },
  "error with a getter": () => { throw Object.defineProperty(new Error("x"), "stack", { get() { for (;;); } }); },
};
export const run = ({ way }) => ways[way]();
