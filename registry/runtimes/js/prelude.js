// The part of the interpreter that is written in JavaScript: modules from files, the globals that
// QuickJS lacks, timers, and the report of an error. It runs before the script, as the module
// "wasmtool:sys", and keeps the functions that it uses, which the script may replace.

const { args, env, open, list, stat, change, close, read, write, exit, now, sleep, random, seed, encode, decode, evaluate, hooks, ask, line } = globalThis.host;
delete globalThis.host;

const call = Function.prototype.call;
const method = (f) => call.bind(f); // method(f)(object, ...) is object.f(...)
const slice = method(String.prototype.slice), split = method(String.prototype.split), trim = method(String.prototype.trim);
const startsWith = method(String.prototype.startsWith), endsWith = method(String.prototype.endsWith);
const includes = method(String.prototype.includes), lastIndexOf = method(String.prototype.lastIndexOf);
const indexOf = method(String.prototype.indexOf), wellFormed = method(String.prototype.toWellFormed);
const join = method(Array.prototype.join), push = method(Array.prototype.push), shift = method(Array.prototype.shift);
const pop = method(Array.prototype.pop), splice = method(Array.prototype.splice), filter = method(Array.prototype.filter);
const mapSet = method(Map.prototype.set), mapDelete = method(Map.prototype.delete);
const mapValues = method(Map.prototype.values), next = method(new Map().values().next);
const toString = String, { parse, stringify } = JSON, { isArray } = Array, { apply } = Reflect, { isError } = Error;
const { is, defineProperty, keys } = Object, { isView } = ArrayBuffer;
const then = method(Promise.prototype.then);
const Bytes = Uint8Array, Failure = Error, BadType = TypeError, Pending = Map;

// Files and descriptors.

const reasons = { 2: "not allowed", 20: "exists", 8: "is not open", 31: "is a directory", 44: "does not exist", 48: "is too large for the memory", 54: "is below a file", 55: "is not empty", 63: "not allowed", 69: "read-only", 76: "not allowed" };
const fail = (what, errno) => { throw new Failure(`${what}: ${reasons[errno] ?? `error ${errno} of WASI`}`); };
const checked = (result, what) => (typeof result === "number" && result < 0 ? fail(what, -result) : result);

// data returns what write takes: a well-formed string, or a Uint8Array.
function data(value) {
  if (typeof value === "string") return wellFormed(value);
  if (!(value instanceof Bytes)) throw new BadType("neither a string nor a Uint8Array");
  return value;
}

let inputRead = false;

// readFrom reads once, at most size bytes, or all there is without a size.
function readFrom(fd, size = 0) {
  if (fd === 0) startClock();
  return checked(read(fd, size), `descriptor ${fd}`);
}

// located returns an absolute path; relative names are in the workspace.
function located(path) {
  path = toString(path);
  return startsWith(path, "/") ? path : "/workspace/" + path;
}

function readFile(path) {
  const fd = checked(open(located(path), 0), path);
  try {
    return checked(read(fd, 0), path);
  } finally {
    close(fd, 0);
  }
}

function writeFile(path, content) {
  const what = data(content), fd = checked(open(located(path), 1), path);
  try {
    checked(write(fd, what), path);
  } finally {
    close(fd, 0);
  }
}

const types = { 3: "directory", 4: "file", 7: "link" };

function listDirectory(path) {
  const fd = checked(open(located(path), 3), path);
  try {
    const found = checked(list(fd, 0), path), out = [];
    for (let i = 0; i < found.length; i += 2) {
      if (found[i] !== "." && found[i] !== "..") push(out, { name: found[i], type: types[found[i + 1]] ?? "other" });
    }
    return out;
  } finally {
    close(fd, 0);
  }
}

function describeFile(path) {
  const [type, size, changed] = checked(stat(located(path), 0), path);
  return { type: types[type] ?? "other", size, changed };
}

function variables() {
  const out = { __proto__: null };
  for (const pair of env(0, 0)) out[slice(pair, 0, indexOf(pair, "="))] = slice(pair, indexOf(pair, "=") + 1);
  return Object.freeze(out);
}

function exists(path) {
  const fd = open(path, 0);
  if (fd >= 0) close(fd, 0);
  return fd >= 0;
}

function encoded(bytes) {
  if (!(bytes instanceof Bytes)) throw new BadType("not a Uint8Array");
  return bytes;
}

function text(bytes) {
  const s = decode(bytes, 0);
  return s[0] === "\ufeff" ? slice(s, 1) : s;
}

// Modules: "./x.js" beside the importing file, "/tool/x.js", and the packages below vendor.

const vendor = "/tool/vendor";

function clean(path) {
  const parts = [];
  for (const part of split(path, "/")) {
    if (part === "..") pop(parts);
    else if (part !== "" && part !== ".") push(parts, part);
  }
  return "/" + join(parts, "/");
}

function resolve(name, base) {
  if (name === "wasmtool:sys") return name;
  if (startsWith(name, "/")) return clean(name);
  if (startsWith(name, "file:///")) return clean(slice(name, 7));
  if (startsWith(name, "./") || startsWith(name, "../") || name === "." || name === "..") {
    return imported(clean(slice(base, 0, lastIndexOf(base, "/") + 1) + name));
  }
  const found = includes(name, ":") ? undefined : packaged(name);
  if (found !== undefined) return found;
  throw new Failure(`cannot find the module ${stringify(name)}, which ${base} imports: ` +
    (startsWith(name, "node:") ? "scripts have no modules of Node.js" : `it is not below ${vendor}, where 'wasmtool vendor' puts packages, and names of files begin with ./`));
}

// imported returns the path of the file that path means: "./x" and "./x.js" may be x.ts.
function imported(path) {
  for (const other of [path, (endsWith(path, ".js") ? slice(path, 0, -3) : path) + ".ts", path + "/index.ts"]) {
    if (includes(slice(other, lastIndexOf(other, "/")), ".") && exists(other)) return other;
  }
  return path;
}

// packaged finds a module of a package below vendor, such as "name", "@scope/name" or "name/file".
function packaged(name) {
  const parts = split(name, "/");
  const root = clean(`${vendor}/${shift(parts)}${name[0] === "@" ? "/" + shift(parts) : ""}`);
  const rest = join(parts, "/");
  if (!startsWith(root, vendor + "/")) return undefined;
  let main = rest || "index.js";
  if (exists(root + "/package.json")) {
    const about = parse(text(readFile(root + "/package.json")));
    if (about.exports !== undefined) {
      const dotted = typeof about.exports !== "string" && !isArray(about.exports) && startsWith(keys(about.exports)[0] ?? "", ".");
      main = condition(dotted ? about.exports[rest ? "./" + rest : "."] : rest ? undefined : about.exports);
      if (typeof main !== "string") return undefined;
    } else if (!rest) main = about.module ?? about.main ?? main;
  }
  const file = clean(`${root}/${main}`);
  if (!startsWith(file, root + "/")) return undefined;
  for (const end of ["", ".js", "/index.js"]) if (exists(file + end) && (end || includes(slice(file, lastIndexOf(file, "/")), "."))) return file + end;
  return undefined;
}

// condition selects from the conditions of a package's exports.
function condition(target) {
  while (typeof target === "object" && target !== null) target = isArray(target) ? target[0] : target.import ?? target.default;
  return target;
}

function load(path) {
  let source;
  try {
    source = text(readFile(path));
  } catch (e) {
    throw new Failure(`cannot find the module ${e.message}`);
  }
  if (endsWith(path, ".json")) return `export default JSON.parse(${stringify(source)});`;
  return includes(source, "import.meta") && !startsWith(source, "#!") ? `import.meta.url = ${stringify("file://" + path)}; ${source}` : source;
}

// Errors that nothing catches end the script.

const unhandled = new Pending();

function rejected(promise, reason, handled) {
  if (handled) mapDelete(unhandled, promise);
  else mapSet(unhandled, promise, { reason });
}

// describe returns the text of an error: its message, and the places in the files of the script.
function describe(error) {
  try {
    if (error === null) return "uncaught null, which is also the error when the memory is used up";
    if (!isError(error)) return `uncaught ${show(error, 0, [])}`;
    const lines = filter(split(toString(error.stack ?? ""), "\n"), (line) => line !== "" && !includes(line, "(native)") && !includes(line, "wasmtool:") && !includes(line, "/tool/."));
    let message = toString(error);
    for (let cause = error.cause, n = 0; cause !== undefined && n < 4; cause = cause?.cause, n++) message += `\n  because of ${toString(cause)}`;
    return join([message, ...lines], "\n");
  } catch {
    return "an error that cannot be shown";
  }
}

function failed(error) {
  write(2, wellFormed(describe(error)) + "\n");
  exit(1, 0);
}

// Timers. While the script starts, time does not pass: a timer fires at once. After that, the
// script waits.

const timers = [];
let timerID = 0, clock = 0, origin = 0;
const time = () => (inputRead ? clock + ((now(0, 0) - origin) & 0x7fffffff) : clock);

function startClock() {
  if (inputRead) return;
  origin = now(0, 0);
  inputRead = true;
}

function addTimer(f, delay, repeat, args) {
  if (typeof f !== "function") throw new BadType("the first argument is not a function");
  delay = +delay >= 1 ? Math_min(+delay, 0x7fffffff) : 0;
  insert({ id: ++timerID, f, delay, repeat, args, due: time() + delay });
  return timerID;
}

function insert(timer) {
  let i = timers.length;
  while (i > 0 && timers[i - 1].due > timer.due) i--;
  splice(timers, i, 0, timer);
}

function clearTimer(id) {
  for (let i = 0; i < timers.length; i++) if (timers[i].id === id) return void splice(timers, i, 1);
}

const Math_min = Math.min;

let main = "starts"; // what became of the main module
let output; // what finish was called with

const idle = []; // what to call when no job is left

// turn is called when no job is left, and reports whether there may be one now.
function turn() {
  if (idle.length) {
    shift(idle)();
    return true;
  }
  const first = next(mapValues(unhandled)).value;
  if (first) failed(first.reason);
  if (output !== undefined) {
    try {
      sys.write(1, output);
    } catch (e) {
      failed(e);
    }
    exit(0, 0);
  }
  if (main === "failed") return false;
  if (timers.length === 0) {
    if (main === "starts") failed(new Failure("the script waits for a promise that nothing will settle"));
    return false;
  }
  const timer = shift(timers), wait = timer.due - time();
  if (wait > 0) inputRead ? sleep(wait, 0) : (clock = timer.due);
  if (timer.repeat) {
    timer.due = time() + Math_max(timer.delay, 1);
    insert(timer);
  }
  try {
    apply(timer.f, undefined, timer.args);
  } catch (e) {
    failed(e);
  }
  return true;
}

const Math_max = Math.max;

// console.

let logsTo = 1;

function show(value, depth, above) {
  switch (typeof value) {
    case "string": return depth ? stringify(value) : value;
    case "bigint": return `${value}n`;
    case "symbol": return toString(value);
    case "number": return is(value, -0) ? "-0" : `${value}`;
    case "function": return `[function ${toString(value.name)}]`;
    case "undefined": case "boolean": return `${value}`;
  }
  if (value === null) return "null";
  if (isError(value)) return describe(value);
  if (includesValue(above, value)) return "[circular]";
  if (depth > 4) return "[...]";
  const inside = [...above, value], item = (v) => show(v, depth + 1, inside), out = [];
  const name = toString(value.constructor?.name ?? "");
  if (value instanceof Date || value instanceof RegExp) return is(+value, NaN) && value instanceof Date ? "Invalid Date" : value instanceof Date ? value.toISOString() : `${value}`;
  if (value instanceof Map) {
    for (const [k, v] of value) push(out, `${item(k)} => ${item(v)}`);
    return `Map {${join(out, ", ")}}`;
  }
  if (value instanceof Set || isArray(value) || (isView(value) && "length" in value)) {
    for (const v of value) if (push(out, item(v)) >= 200) break;
    if ((value.length ?? value.size) > 200) push(out, "...");
    return isArray(value) ? `[${join(out, ", ")}]` : `${name} [${join(out, ", ")}]`;
  }
  for (const k of keys(value)) push(out, `${k}: ${item(value[k])}`);
  return (name && name !== "Object" ? name + " " : "") + `{${join(out, ", ")}}`;
}

function includesValue(list, value) {
  for (let i = 0; i < list.length; i++) if (list[i] === value) return true;
  return false;
}

function print(fd, values) {
  const out = [];
  for (let i = 0; i < values.length; i++) push(out, show(values[i], 0, []));
  const line = wellFormed(join(out, " ")) + "\n";
  typeof logsTo === "function" ? logsTo(line) : write(fd, line);
}

const log = (...values) => print(logsTo, values), warn = (...values) => print(2, values);

// Globals.

class TextEncoder {
  get encoding() { return "utf-8"; }
  encode(s = "") { return encode(wellFormed(`${s}`), 0); }
  encodeInto(s, to) {
    let read = 0, written = 0;
    for (const c of wellFormed(`${s}`)) {
      const b = encode(c, 0);
      if (written + b.length > to.length) break;
      to.set(b, written);
      read += c.length;
      written += b.length;
    }
    return { read, written };
  }
}

class TextDecoder {
  #fatal; #keepMark; #rest = new Bytes(0);
  constructor(label = "utf-8", { fatal = false, ignoreBOM = false } = {}) {
    if (!includesValue(["utf-8", "utf8", "unicode-1-1-utf-8"], trim(`${label}`).toLowerCase())) throw new RangeError(`the encoding ${label} is not supported; only UTF-8 is`);
    this.#fatal = !!fatal;
    this.#keepMark = !!ignoreBOM;
  }
  get encoding() { return "utf-8"; }
  get fatal() { return this.#fatal; }
  get ignoreBOM() { return this.#keepMark; }
  decode(input = new Bytes(0), { stream = false } = {}) {
    let b = isView(input) ? new Bytes(input.buffer, input.byteOffset, input.byteLength) : new Bytes(input);
    if (this.#rest.length) {
      const all = new Bytes(this.#rest.length + b.length);
      all.set(this.#rest);
      all.set(b, this.#rest.length);
      b = all;
    }
    this.#rest = new Bytes(0);
    if (stream) { // keep the start of an unfinished character
      let n = 1;
      while (n < 4 && n <= b.length && (b[b.length - n] & 0xc0) === 0x80) n++;
      const lead = b[b.length - n];
      if (n <= b.length && lead >= 0xc0 && n < (lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2)) {
        this.#rest = b.slice(b.length - n);
        b = b.subarray(0, b.length - n);
      }
    }
    const s = decode(b, 0);
    if (this.#fatal && (includes(s, "\ufffd") || wellFormed(s) !== s) && !same(encode(s, 0), b)) throw new BadType("the bytes are not UTF-8");
    return s[0] === "\ufeff" && !this.#keepMark ? slice(s, 1) : wellFormed(s);
  }
}

function same(a, b) {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}

function structuredClone(value, { transfer } = {}) {
  const seen = new Map();
  const refuse = (v) => { throw new DOMException(`${toString(v?.constructor?.name ?? typeof v)} cannot be cloned`, "DataCloneError"); };
  if (transfer?.length) refuse(transfer[0]);
  const clone = (v) => {
    if (typeof v === "symbol" || typeof v === "function") refuse(v);
    if (typeof v !== "object" || v === null) return v;
    if (seen.has(v)) return seen.get(v);
    const keep = (c) => (seen.set(v, c), c);
    const kind = Object.prototype.toString.call(v);
    switch (kind) {
      case "[object Date]": return keep(new Date(+v));
      case "[object RegExp]": return keep(new RegExp(v.source, v.flags));
      case "[object Boolean]": case "[object Number]": case "[object String]": case "[object BigInt]": return keep(Object(v.valueOf()));
      case "[object ArrayBuffer]": return keep(v.slice(0));
    }
    if (isView(v)) {
      const buffer = clone(v.buffer);
      return keep(new v.constructor(buffer, v.byteOffset, kind === "[object DataView]" ? v.byteLength : v.length));
    }
    if (v instanceof Map) {
      const m = keep(new Map());
      for (const [k, x] of [...v]) m.set(clone(k), clone(x));
      return m;
    }
    if (v instanceof Set) {
      const s = keep(new Set());
      for (const x of [...v]) s.add(clone(x));
      return s;
    }
    if (isError(v)) {
      const kinds = { EvalError, RangeError, ReferenceError, SyntaxError, TypeError, URIError };
      const e = keep(new (kinds[v.name] ?? Error)(v.message));
      defineProperty(e, "stack", { value: v.stack, writable: true, configurable: true });
      if ("cause" in v) defineProperty(e, "cause", { value: clone(v.cause), writable: true, configurable: true });
      return e;
    }
    if (!isArray(v) && kind !== "[object Object]") refuse(v);
    if (v instanceof Promise || v instanceof WeakMap || v instanceof WeakSet || v instanceof WeakRef) refuse(v);
    const c = keep(isArray(v) ? new Array(v.length) : {});
    for (const k of keys(v)) defineProperty(c, k, { value: clone(v[k]), writable: true, enumerable: true, configurable: true });
    return c;
  };
  return clone(value);
}

const crypto = {
  getRandomValues(array) {
    if (!isView(array) || !/^(Big)?(Ui|I)nt.*Array$/.test(array.constructor.name)) throw new DOMException("the argument is not an array of integers", "TypeMismatchError");
    if (array.byteLength > 65536) throw new DOMException("more than 65,536 bytes at once", "QuotaExceededError");
    new Bytes(array.buffer, array.byteOffset, array.byteLength).set(checked(random(array.byteLength, 0), "random numbers"));
    return array;
  },
  randomUUID() {
    const b = checked(random(16, 0), "random numbers");
    b[6] = (b[6] & 0x0f) | 0x40;
    b[8] = (b[8] & 0x3f) | 0x80;
    return b.toHex().replace(/(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
  },
};

// QuickJS seeds Math.random from the clock when it is set up. It is seeded again when it is first
// used, so that calls from one image of the start share nothing.
let seeded = false;
const drawn = Math.random;
const globals = {
  console: { log, info: log, debug: log, dir: log, table: log, group: log, groupEnd() {}, time() {}, timeEnd() {}, error: warn, warn, trace: warn, assert: (ok, ...values) => { if (!ok) print(2, ["assertion failed", ...values]); } },
  setTimeout: (f, delay, ...args) => addTimer(f, delay, false, args), clearTimeout: clearTimer,
  setInterval: (f, delay, ...args) => addTimer(f, delay, true, args), clearInterval: clearTimer,
  TextEncoder, TextDecoder, structuredClone, crypto,
};
for (const name of keys(globals)) defineProperty(globalThis, name, { value: globals[name], writable: true, configurable: true });
defineProperty(Math, "random", {
  value: { random() { if (!seeded) { seed(0, 0); seeded = true; } return drawn(); } }.random,
  writable: true, configurable: true,
});

// What the script that starts a tool uses. A tool may import it too: it gives access to nothing but
// the files and descriptors of the sandbox.
export const sys = Object.freeze({
  args: Object.freeze(args(0, 0)),
  env: variables(),
  // open returns the descriptor of a file: mode 0 reads it, 1 writes it anew, 2 reads and writes.
  open: (path, mode = 0) => checked(open(located(path), mode), path),
  close: (fd) => { checked(close(fd, 0), `descriptor ${fd}`); },
  // read returns a Uint8Array with at most size bytes, empty at the end; without size, all bytes.
  read: readFrom,
  // write writes all of a string or a Uint8Array.
  write: (fd, content) => { checked(write(fd, data(content)), `descriptor ${fd}`); },
  // ask writes a line and returns the value of the JSON in the answer, a line of the same file.
  ask: (fd, question) => {
    const value = ask(fd, `${question}`);
    return typeof value === "object" ? value : checked(value, `descriptor ${fd}`);
  },
  // line returns the line of the first frame of a stack, or 0.
  line: (stack) => line(toString(stack), 0),
  // whenIdle calls a function when no job is left.
  whenIdle: (f) => { push(idle, f); },
  readFile,
  writeFile,
  // list returns the entries of a directory: objects with name and type.
  list: listDirectory,
  // stat returns the type, size and time of the last change of a file.
  stat: describeFile,
  // remove removes a file or an empty directory.
  remove: (path) => { checked(change(located(path), ""), path); },
  mkdir: (path) => { checked(change(located(path), "/"), path); },
  rename: (from, to) => { checked(change(located(from), located(to)), from); },
  text: (bytes) => text(encoded(bytes)),
  exit: (status = 0) => exit(status, 0),
  // evaluate runs the source of a module, and returns the promise of its exports.
  evaluate: (source, name) => evaluate(toString(source), toString(name)),
  describe,
  // finish writes the output and ends the script, unless a promise was rejected and nothing handles
  // that. It does not wait for timers.
  finish(text) { output = text; },
  // logTo sets the descriptor of console.log, or a function that gets each line of the console.
  logTo: (fd) => { logsTo = fd; },
});

hooks(resolve, load, rejected, failed, turn);

const file = sys.args[1];
if (file === undefined) failed(new Failure("no script: the arguments are FILE [ARGUMENT]..."));
then(import(clean(file)), () => { main = "done"; }, (e) => { main = "failed"; failed(e); });
