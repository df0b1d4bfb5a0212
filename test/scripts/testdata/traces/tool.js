// Each call looks for what calls before it left anywhere, and then leaves that itself.
import * as wasmtool from "wasmtool";
import { sys } from "wasmtool:sys";
import * as other from "./other.js";

const kept = [], table = new Map([["a", 1]]), refs = new WeakMap([[kept, "start"]]);
const { ownKeys, getPrototypeOf } = Reflect, { isFrozen } = Object, names = Object.getOwnPropertyNames;
const pattern = /a/g;
let pending;
class Holder { static marks = []; #own = 1; }

const prototypes = [Object, Array, Function, Promise, Map, Set, RegExp, Error, String, Number, Date, Uint8Array, URL, Iterator, TextEncoder];

function looked() {
  const fd = sys.open("/tool/tool.js", 0);
  sys.close(fd);
  return {
    module: [kept, [...table], refs.get(kept), Holder.marks, pattern.lastIndex, pending === undefined], other: [other.list, other.count],
    globals: ownKeys(globalThis).map(String), prototypes: prototypes.map((p) => [names(p).length, names(p.prototype).length, isFrozen(p.prototype)]),
    functions: [JSON.stringify.name, JSON.parse.name, console.log.name, Promise.prototype.then.name, Array.prototype.push.name, Math.random.name],
    values: [[].mark, ({}).mark, "".mark, Symbol.for("a").description, Error.stackTraceLimit, typeof Error.prepareStackTrace],
    wasmtool: names(wasmtool), kv: names(wasmtool.kv), sys: names(sys), descriptor: fd, stack: names(getPrototypeOf(async () => {})),
    random: [Math.random(), crypto.randomUUID()], time: Date.now(), clock: performance.now() < 1e9, tmp: read("/tmp/a"), argument: scriptArgs,
  };
}

function read(path) {
  try { return sys.text(sys.readFile(path)); } catch (e) { return e.message; }
}

function attempt(f) {
  try { f(); } catch {} // what cannot be changed leaves no trace
}

function leave(n) {
  const mark = `mark ${n}`;
  kept.push(mark), table.set(mark, n), refs.set(kept, mark), Holder.marks.push(mark), (Holder[mark] = 1);
  pattern.test("aaa"), other.list.push(mark), other.add(), (globalThis[mark] = 1);
  pending = new Promise(() => {});
  for (const p of prototypes) attempt(() => { p.prototype.mark = p[mark] = mark; });
  for (const o of [wasmtool, wasmtool.kv, sys, crypto, console]) attempt(() => { o.mark = mark; });
  attempt(() => { wasmtool.kv.get = () => mark; });
  Symbol.for(mark), (Error.stackTraceLimit = n % 10), (Error.prepareStackTrace = () => mark), scriptArgs.push(mark);
  const fd = sys.open("/tmp/a", 1);
  sys.write(fd, mark);
  sys.open("/tool/tool.js", 0);
  setTimeout(() => console.log(mark), 1e6), setInterval(() => {}, 1e6);
  Promise.resolve().then(() => (globalThis.late = mark));
  new FinalizationRegistry(() => {}).register({}, mark);
  console.log = Math.random = Promise.prototype.then = Array.prototype.push = JSON.parse = JSON.stringify = () => mark;
  Object.freeze(Set.prototype);
}

export function run({ n, again }) {
  const before = JSON.stringify(looked());
  if (n) leave(n);
  return { report: again ? looked().module : before };
}
