// Work that runs in C, out of reach of the interpreter's own checks.
const deep = (n) => { let a = 0; for (let i = 0; i < n; i++) a = [a]; return a; };
const ways = {
  stringify: () => JSON.stringify(deep(1e5)), parse: () => JSON.parse("[".repeat(1e6)), regex: () => new RegExp("(".repeat(1e5) + ")".repeat(1e5)),
  source: () => (0, eval)("(".repeat(1e5)), member: () => (0, eval)("globalThis" + "?.x".repeat(1e6)), repeat: () => "x".repeat(2 ** 30),
  buffer: () => new ArrayBuffer(2 ** 40), shared: () => new SharedArrayBuffer(2 ** 31), array: () => new Array(2 ** 32 - 1).fill(0),
  power: () => 2n ** (2n ** 40n), shift: () => 1n << (1n << 62n), join: () => new Array(2 ** 28).join("x"), bind: () => { let f = () => {}; for (let i = 0; i < 1e5; i++) f = f.bind(); f(); },
  proxy: () => { let p = {}; for (let i = 0; i < 1e5; i++) p = new Proxy(p, {}); return p.x ?? "done"; },
  sort: () => { const a = [3, 2, 1]; a.sort(() => a.push(1)); return a.length; }, padding: () => "x".padStart(2 ** 31), flat: () => deep(1e5).flat(Infinity),
  clone: () => structuredClone(deep(1e5)), console: () => console.log(deep(1e5)), cause: () => { let e; for (let i = 0; i < 1e5; i++) e = new Error("x", { cause: e }); throw e; },
};
export function run({ bomb }) {
  if (bomb === "result") return deep(1e5);
  if (bomb === "toJSON") return { toJSON() { return { o: this }; } };
  try { ways[bomb](); return "done"; } catch (e) { return e instanceof Error ? "stopped" : "?"; }
}
