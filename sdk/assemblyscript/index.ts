// The SDK for wasmtool tools. A tool is a function from its input, which is usually a JSON object, to
// its output. Build it as a reactor or as a command:
//
//   import * as wasmtool from "./wasmtool";
//
//   function greet(input: string): string {
//     const args = wasmtool.Json.parse(input);
//     if (!args) return wasmtool.fail("the input is not JSON");
//     return "Hello, " + args.get("name").text + "!";
//   }
//
//   export function call(): i32 { return wasmtool.call(greet); } // a reactor
//   wasmtool.run(greet); // a command
//
// This file needs no other, so it may be copied into a tool as wasmtool.ts. Functions that can fail
// return null, false or -1, and lastError then says why. docs/sdks.md of wasmtool lists the functions
// for all languages and the flags of asc, and docs/abi.md explains what the host does.

let isReactor = false;
let failure: string | null = null;

/** Runs a tool in a reactor, and returns what its export "call" must return. */
export function call(tool: (input: string) => string): i32 {
  isReactor = true;
  const input = new ArrayBuffer(input_len());
  const size = input_read(at(input), input.byteLength);
  const output = tool(decode(input.slice(0, size)));
  const message = failure;
  if (message !== null) return reject(message);
  const bytes = encode(output);
  output_write(at(bytes), bytes.byteLength);
  return 0;
}

/** Runs a tool in a command. */
export function run(tool: (input: string) => string): void {
  const input: ArrayBuffer[] = [];
  const part = new ArrayBuffer(16384);
  for (let size = transfer(0, part); size > 0; size = transfer(0, part)) input.push(part.slice(0, size));
  const output = tool(decode(concat(input)));
  const message = failure;
  if (message !== null) proc_exit(reject(message));
  let bytes = encode(output);
  while (bytes.byteLength > 0) bytes = bytes.slice(transfer(1, bytes));
}

/** Makes the call fail with a message for the model. The tool returns what this returns. */
export function fail(message: string): string {
  failure = message;
  return "";
}

/** Ends a reactor or command with a message: the flag --use abort=wasmtool/abort needs it. */
export function abort(message: string | null, file: string | null, line: u32, column: u32): void {
  reject(`${message ? message : "aborted"} (${file ? file : "?"}:${line}:${column})`);
  proc_exit(1); // a trap would hide the message
}

function reject(message: string): i32 {
  const bytes = encode(message);
  if (isReactor) error_write(at(bytes), bytes.byteLength);
  else transfer(2, bytes);
  return 1;
}

/** Reads from standard input or writes to another file, and returns the number of bytes. */
function transfer(file: i32, bytes: ArrayBuffer): i32 {
  const vector = new StaticArray<usize>(2);
  const size = new StaticArray<i32>(1);
  vector[0] = at(bytes);
  vector[1] = bytes.byteLength;
  const p = changetype<usize>(vector), n = changetype<usize>(size);
  const failed = file == 0 ? fd_read(file, p, 1, n) : fd_write(file, p, 1, n);
  if (failed) proc_exit(1);
  return size[0];
}

// ---- Bytes and text

function at(bytes: ArrayBuffer): usize {
  return changetype<usize>(bytes);
}

/** Returns a text as UTF-8. Halves of characters become U+FFFD. */
export function encode(text: string): ArrayBuffer {
  return String.UTF8.encode(text, false, String.UTF8.ErrorMode.REPLACE);
}

/** Returns the length of the character at p, or 0 if it is not UTF-8. */
function charSize(p: usize, end: usize): usize {
  const c = load<u8>(p), d: u8 = p + 1 < end ? load<u8>(p + 1) : 0;
  const n: usize = c < 0x80 ? 1 : c < 0xc2 ? 0 : c < 0xe0 ? 2 : c < 0xf0 ? 3 : c < 0xf5 ? 4 : 0;
  if (p + n > end || (c == 0xe0 && d < 0xa0) || (c == 0xed && d > 0x9f) || (c == 0xf0 && d < 0x90) || (c == 0xf4 && d > 0x8f)) return 0;
  for (let i: usize = 1; i < n; i++) if ((load<u8>(p + i) & 0xc0) != 0x80) return 0;
  return n;
}

/** Returns UTF-8 as a text. Other bytes become U+FFFD. */
export function decode(bytes: ArrayBuffer): string {
  const text = new Text();
  const end = at(bytes) + bytes.byteLength;
  let plain = at(bytes); // the start of what is not added yet
  for (let p = plain; p < end; ) {
    const size = charSize(p, end);
    p += size ? size : 1;
    if (size && p < end) continue;
    const until = size ? p : p - 1;
    text.add(String.UTF8.decodeUnsafe(plain, until - plain));
    if (!size) text.add("\ufffd");
    plain = p;
  }
  return text.toString();
}

/** Returns buffers as one. */
function concat(parts: ArrayBuffer[]): ArrayBuffer {
  let size = 0;
  for (let i = 0; i < parts.length; i++) size += parts[i].byteLength;
  const all = new ArrayBuffer(size);
  for (let i = 0, offset = 0; i < parts.length; offset += parts[i++].byteLength) {
    memory.copy(at(all) + offset, at(parts[i]), parts[i].byteLength);
  }
  return all;
}

/** A text that grows. Adding strings with + would take quadratic time. */
class Text {
  private units: ArrayBuffer = new ArrayBuffer(128);
  private size: i32 = 0; // in bytes

  private grow(more: i32): void {
    if (this.size + more <= this.units.byteLength) return;
    const units = new ArrayBuffer(max(this.size + more, 2 * this.size));
    memory.copy(at(units), at(this.units), this.size);
    this.units = units;
  }

  add(text: string): Text {
    this.grow(text.length << 1);
    memory.copy(at(this.units) + this.size, changetype<usize>(text), text.length << 1);
    this.size += text.length << 1;
    return this;
  }

  unit(unit: i32): void {
    this.grow(2);
    store<u16>(at(this.units) + this.size, <u16>unit);
    this.size += 2;
  }

  toString(): string {
    return String.UTF16.decodeUnsafe(at(this.units), this.size);
  }
}

function base64(bytes: ArrayBuffer): string {
  const digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const text = new Text();
  for (let i = 0; i < bytes.byteLength; i += 3) {
    const n = min(3, bytes.byteLength - i);
    let bits = 0;
    for (let j = 0; j < 3; j++) bits = (bits << 8) | (j < n ? <i32>load<u8>(at(bytes) + i + j) : 0);
    for (let j = 0; j < 4; j++) text.unit(j <= n ? digits.charCodeAt((bits >> (18 - 6 * j)) & 63) : 0x3d);
  }
  return text.toString();
}

// ---- JSON

export enum Kind { Null, Bool, Number, String, List, Object }

const ESCAPED = '"\\/\b\f\n\r\t';
const ESCAPES = '"\\/bfnrt';

/** A JSON value. */
export class Json {
  /** The names of an object's members. */
  names: string[] = [];
  /** The values of an object's members, or the elements of a list. */
  values: Json[] = [];

  /** text is the text of a string, and a number, true or false as it is written. */
  constructor(public kind: Kind = Kind.Null, public text: string = "") {}

  /** Parses one value, at most 200 levels deep. Returns null if the text is not JSON. */
  static parse(text: string): Json | null {
    const parser = new Parser(text);
    const value = parser.value(200);
    parser.skip(0);
    return value && parser.at == text.length ? value : null;
  }

  static string(text: string): Json { return new Json(Kind.String, text); }
  static integer(number: i64): Json { return new Json(Kind.Number, number.toString()); }
  static bool(value: bool): Json { return new Json(Kind.Bool, value ? "true" : "false"); }
  static object(): Json { return new Json(Kind.Object); }
  static list(): Json { return new Json(Kind.List); }

  /** Adds a member to an object. */
  set(name: string, value: Json): Json {
    this.names.push(name);
    return this.push(value);
  }

  /** Adds an element to a list. */
  push(value: Json): Json {
    this.values.push(value);
    return this;
  }

  /** Returns a member of an object, or the value null. */
  get(name: string): Json {
    const i = this.names.indexOf(name);
    return i < 0 ? new Json() : this.values[i];
  }

  get isNull(): bool { return this.kind == Kind.Null; }
  get isTrue(): bool { return this.kind == Kind.Bool && this.text == "true"; }
  get isString(): bool { return this.kind == Kind.String; }
  get number(): f64 { return this.kind == Kind.Number ? F64.parseFloat(this.text) : NaN; }

  /** Whether it is a whole number of 64 bits, in any spelling; 5.0 and 5e0 are exact up to 2^53. */
  get isInteger(): bool {
    const n = this.number;
    if (!this.isPlain) return n == Math.floor(n) && Math.abs(n) <= 9007199254740992;
    const digits = this.text.replace("-", "").padStart(19, "0");
    return this.kind == Kind.Number && digits.length == 19 && digits <= (n < 0 ? "9223372036854775808" : "9223372036854775807");
  }

  get integer(): i64 { return this.isPlain ? I64.parseInt(this.text, 10) : <i64>this.number; }

  private get isPlain(): bool { return !this.text.includes(".") && !this.text.includes("e") && !this.text.includes("E"); }

  toString(): string {
    const text = new Text();
    this.write(text);
    return text.toString();
  }

  private write(to: Text): void {
    const list = this.kind == Kind.List;
    if (this.kind == Kind.String) quote(this.text, to);
    else if (this.kind < Kind.List) to.add(this.isNull ? "null" : this.text);
    else {
      to.add(list ? "[" : "{");
      for (let i = 0; i < this.values.length; i++) {
        if (i) to.add(",");
        if (!list) quote(this.names[i], to), to.add(":");
        this.values[i].write(to);
      }
      to.add(list ? "]" : "}");
    }
  }
}

function quote(text: string, to: Text): void {
  to.add('"');
  for (let i = 0; i < text.length; i++) {
    const c = text.charCodeAt(i);
    const escape = c == 0x2f ? -1 : ESCAPED.indexOf(String.fromCharCode(c));
    if (escape >= 0) to.add("\\"), to.unit(ESCAPES.charCodeAt(escape));
    else if (c < 0x20) to.add("\\u00" + (c < 16 ? "0" : "") + c.toString(16));
    else to.unit(c);
  }
  to.add('"');
}

function isNumber(text: string): bool {
  let at = text.startsWith("-") ? 1 : 0;
  const whole = digits(text, at);
  if (whole == at || (whole > at + 1 && text.charCodeAt(at) == 0x30)) return false;
  at = whole;
  if (text.charAt(at) == ".") {
    at = digits(text, whole + 1);
    if (at == whole + 1) return false;
  }
  if (at < text.length && text.charAt(at).toLowerCase() == "e") {
    const sign = text.charAt(at + 1) == "+" || text.charAt(at + 1) == "-";
    const start = at + (sign ? 2 : 1);
    at = digits(text, start);
    if (at == start) return false;
  }
  return at == text.length;
}

/** Returns where the digits at an offset end. */
function digits(text: string, at: i32): i32 {
  while (at < text.length && text.charCodeAt(at) >= 0x30 && text.charCodeAt(at) <= 0x39) at++;
  return at;
}

class Parser {
  at: i32 = 0;

  constructor(private text: string) {}

  private peek(): i32 { return this.at < this.text.length ? this.text.charCodeAt(this.at) : -1; }

  /** Consumes the wanted character, after any space. */
  skip(wanted: i32): bool {
    while (this.peek() == 0x20 || this.peek() == 0x0a || this.peek() == 0x0d || this.peek() == 0x09) this.at++;
    if (!wanted || this.peek() != wanted) return false;
    this.at++;
    return true;
  }

  value(depth: i32): Json | null {
    if (this.skip(0x7b)) return this.members(Json.object(), depth - 1, 0x7d);
    if (this.skip(0x5b)) return this.members(Json.list(), depth - 1, 0x5d);
    if (this.peek() == 0x22) {
      const text = this.string();
      return text === null ? null : Json.string(text);
    }
    const start = this.at;
    for (let c = this.peek(); (c >= 0x30 && c <= 0x39) || (c | 0x20) >= 0x61 && (c | 0x20) <= 0x7a || c == 0x2b || c == 0x2d || c == 0x2e; c = this.peek()) this.at++;
    const word = this.text.substring(start, this.at);
    if (word == "null") return new Json();
    if (word == "true" || word == "false") return Json.bool(word == "true");
    return isNumber(word) ? new Json(Kind.Number, word) : null;
  }

  private members(to: Json, depth: i32, end: i32): Json | null {
    if (depth <= 0) return null;
    if (this.skip(end)) return to;
    do {
      if (to.kind == Kind.Object) {
        const name = this.skip(0) || this.peek() == 0x22 ? this.string() : null;
        if (name === null || !this.skip(0x3a)) return null;
        to.names.push(name);
      }
      const value = this.value(depth);
      if (!value) return null;
      to.push(value);
    } while (this.skip(0x2c));
    return this.skip(end) ? to : null;
  }

  private string(): string | null {
    const text = new Text();
    for (this.at++; this.peek() >= 0; this.at++) {
      let c = this.peek();
      if (c == 0x22) {
        this.at++;
        return text.toString();
      }
      if (c < 0x20) return null;
      if (c == 0x5c) {
        this.at++;
        c = this.peek();
        const escape = c < 0 ? -1 : ESCAPES.indexOf(String.fromCharCode(c));
        if (escape >= 0) c = ESCAPED.charCodeAt(escape);
        else if (c != 0x75 || this.at + 4 >= this.text.length) return null;
        else {
          c = 0;
          for (let i = 0; i < 4; i++) {
            const digit = "0123456789abcdef".indexOf(this.text.charAt(++this.at).toLowerCase());
            if (digit < 0) return null;
            c = (c << 4) | digit;
          }
        }
      }
      text.unit(c);
    }
    return null;
  }
}

// ---- The host

/** Why the host refused or could not do something. */
export class HostError {
  /**
   * code is -1 denied, -2 not found, -3 invalid, -4 too much, -5 unavailable or -6 timeout; treat an
   * unknown one as -5. Positive codes, of files, are WASI's error numbers. kind is one word, such as
   * "denied". sent says that a request may have reached a server.
   */
  constructor(public code: i32, public kind: string, public message: string, public sent: bool) {}
}

let last: HostError | null = null;

/** Returns why the last function that can fail did so, or null if it did not. */
export function lastError(): HostError | null {
  return last;
}

let room = new ArrayBuffer(512);

/** Makes room for what a host function returned: its full length, or a code. Repeat it if true. */
function more(size: i32): bool {
  if (size <= room.byteLength) return false;
  room = new ArrayBuffer(size);
  return true;
}

/** Sets the last error from the result of a host function, and reports whether there is none. */
function check(result: i32): bool {
  last = null;
  if (result >= 0) return true;
  let size: i32;
  do size = fault_read(at(room), room.byteLength); while (more(size));
  const parsed = Json.parse(decode(room.slice(0, size)));
  const fault = parsed ? parsed : new Json();
  const kind = fault.get("kind"), message = fault.get("message");
  last = new HostError(result, kind.isNull ? "unavailable" : kind.text, message.isNull ? "the host refused" : message.text, fault.get("sent").isTrue);
  return false;
}

function taken(size: i32): ArrayBuffer | null {
  return check(size) ? room.slice(0, size) : null;
}

function takenJson(size: i32): Json | null {
  if (!check(size)) return null;
  const value = Json.parse(decode(room.slice(0, size)));
  // The host's JSON is valid, but the result of a tool may be too deep.
  if (!value) last = new HostError(-4, "too_large", "the JSON has more than 200 levels", false);
  return value;
}

export enum Level { Debug, Info, Warn, Error }

/** Sends a line to the clients that watch the call. */
export function log(level: Level, line: string): void {
  const bytes = encode(line);
  host_log(level, at(bytes), bytes.byteLength);
}

/** Reports that done of total units are complete; a total of 0 means unknown. */
export function progress(done: f64, total: f64, message: string = ""): void {
  const bytes = encode(message);
  host_progress(done, total, at(bytes), bytes.byteLength);
}

/** Reports a title, which may be empty, and values by name, or the value null. */
export function update(title: string, metadata: Json = new Json()): bool {
  const all = Json.object().set("title", Json.string(title));
  if (!metadata.isNull) all.set("metadata", metadata);
  return send(all);
}

/** Reports the result so far, which replaces the earlier one. */
export function partial(text: string): bool {
  return send(Json.object().set("content", new ToolResult().addText(text).content));
}

function send(report: Json): bool {
  const bytes = encode(report.toString());
  return check(host_update(at(bytes), bytes.byteLength));
}

/** Returns the object that describes the call: tool, call_id, session, settings and more. */
export function context(): Json {
  let size: i32;
  do size = context_read(at(room), room.byteLength); while (more(size));
  const call = takenJson(size);
  return call ? call : Json.object();
}

/** Returns, unless the call was cancelled. Every other function of the host does the same. */
export function cancelled(): void {
  host_cancelled();
}

/** Computes a digest in the host, which takes a fiftieth of the time. At most 64 MiB. */
export function sha256(data: ArrayBuffer): ArrayBuffer | null {
  return taken(host_sha256(at(data), data.byteLength, at(room), room.byteLength));
}

/** Reports whether the secret is granted to this tool and the operator has it. */
export function secretExists(name: string): bool {
  const bytes = encode(name);
  return secret_exists(at(bytes), bytes.byteLength) == 1;
}

/**
 * Calls another tool with an object, and returns its result with content and structured. The kind of
 * an error is the code of the call, such as "invalid_argument".
 */
export function toolCall(name: string, args: Json): Json | null {
  const n = encode(name), a = encode(args.toString());
  if (!check(tool_call(at(n), n.byteLength, at(a), a.byteLength))) return null;
  let size: i32;
  do size = tool_result(at(room), room.byteLength); while (more(size));
  return takenJson(size);
}

/** The tool's own store. */
export namespace kv {
  /** Returns the value of a key. Without the key, it returns null and lastError has "not_found". */
  export function get(key: string): ArrayBuffer | null {
    const k = encode(key);
    let size: i32;
    do size = kv_get(at(k), k.byteLength, at(room), room.byteLength); while (more(size));
    return taken(size);
  }

  export function put(key: string, value: ArrayBuffer): bool {
    const k = encode(key);
    return check(kv_put(at(k), k.byteLength, at(value), value.byteLength));
  }

  export function remove(key: string): bool {
    const k = encode(key);
    return check(kv_delete(at(k), k.byteLength));
  }

  /** Sets a key to value if its value is old; null means no value. Returns 1, 0 if not, or -1. */
  export function swap(key: string, old: ArrayBuffer | null, value: ArrayBuffer | null): i32 {
    const k = encode(key);
    const swapped = kv_swap(at(k), k.byteLength, old ? at(old) : 0, old ? old.byteLength : -1, value ? at(value) : 0, value ? value.byteLength : -1);
    return check(swapped) ? swapped : -1;
  }

  /** Returns up to 1000 keys that begin with prefix and sort after another; both may be empty. */
  export function list(prefix: string = "", after: string = ""): string[] {
    const p = encode(prefix), a = encode(after);
    let size: i32;
    do size = kv_list(at(p), p.byteLength, at(a), a.byteLength, at(room), room.byteLength); while (more(size));
    const keys = takenJson(size);
    const all: string[] = [];
    if (keys) for (let i = 0; i < keys.values.length; i++) all.push(keys.values[i].text);
    return all;
  }
}

/** A request. The host checks it and adds the secrets. */
export class Request {
  /** Names and values. */
  headers: string[][] = [];
  body: ArrayBuffer = new ArrayBuffer(0);
  /** Returns a redirect as the response. */
  manual: bool = false;

  constructor(public method: string, public url: string) {}

  /** Sends the request, waits for the head of the response, and returns null if it failed. */
  send(): Response | null {
    const headers = Json.list();
    for (let i = 0; i < this.headers.length; i++) {
      headers.push(Json.list().push(Json.string(this.headers[i][0])).push(Json.string(this.headers[i][1])));
    }
    const redirect = Json.string(this.manual ? "manual" : "follow");
    const text = Json.object().set("method", Json.string(this.method)).set("url", Json.string(this.url)).set("headers", headers).set("redirect", redirect).toString();
    const bytes = encode(text);
    const handle = http_request(at(bytes), bytes.byteLength, at(this.body), this.body.byteLength);
    if (!check(handle)) return null;
    let size: i32;
    do size = http_head(handle, at(room), room.byteLength); while (more(size));
    const head = takenJson(size);
    return head ? new Response(handle, head) : null;
  }
}

/** A response. Close it, unless body has read it to its end. */
export class Response {
  /** head has status, url and headers. */
  constructor(private handle: i32, public head: Json) {}

  get status(): i32 { return <i32>this.head.get("status").integer; }

  /** Returns the first header of a name in any case, or null. */
  header(name: string): string | null {
    const headers = this.head.get("headers").values;
    for (let i = 0; i < headers.length; i++) {
      const pair = headers[i].values;
      if (pair[0].text.toLowerCase() == name.toLowerCase()) return pair[1].text;
    }
    return null;
  }

  /** Reads the next bytes of the body. Returns their number, 0 at the end, or -1. */
  read(to: ArrayBuffer): i32 {
    const size = http_read(this.handle, at(to), to.byteLength);
    return check(size) ? size : -1;
  }

  /** Reads the rest of the body and closes the response. Returns null if that failed. */
  body(): ArrayBuffer | null {
    const parts: ArrayBuffer[] = [], part = new ArrayBuffer(16384);
    let size = this.read(part);
    for (; size > 0; size = this.read(part)) parts.push(part.slice(0, size));
    this.close();
    return size < 0 ? null : concat(parts);
  }

  close(): void { http_close(this.handle); }
}

/** Files. The paths are absolute, such as /workspace/a.txt. */
export namespace files {
  /** Returns the content of a file, or null. */
  export function read(path: string): ArrayBuffer | null {
    if (path.includes("\0")) return refused(28, path) ? room : null; // the host would see two names
    const name = String.UTF8.encode(path, true, String.UTF8.ErrorMode.REPLACE); // with a NUL
    for (;;) {
      if (!check(files_read(at(name), name.byteLength, i32.MAX_VALUE, at(room), room.byteLength))) return null;
      const error = load<u32>(at(room)), size = load<u64>(at(room), 8);
      if (error == 22 && size < <u64>i32.MAX_VALUE - 64 && more(<i32>size + 33)) continue; // the file needs more room
      if (!refused(error, path)) return null;
      const offset = load<u32>(at(room), 24);
      return room.slice(offset, offset + load<u32>(at(room), 28));
    }
  }

  /** Replaces the content of a file completely or not at all. */
  export function replace(path: string, content: ArrayBuffer): bool {
    const name = encode(path);
    const error = files_replace(at(name), name.byteLength, 0, 0, at(content), content.byteLength);
    return check(error) && refused(error, path);
  }

  /** Sets the last error from a number of WASI, and reports whether there is none. */
  function refused(error: i32, path: string): bool {
    if (error) last = new HostError(error, "file", `${path}: error ${error} of WASI`, false);
    return !error;
  }
}

/** A result with content blocks, for module.output = "result". The tool returns its toString(). */
export class ToolResult {
  content: Json = Json.list();
  /** The result for programs, and further values for them. */
  structured: Json = new Json();
  metadata: Json = new Json();
  /** Whether the tool failed; the content then says why. */
  isError: bool = false;
  /** A short line for people. */
  title: string = "";

  addText(text: string): ToolResult {
    this.content.push(Json.object().set("type", Json.string("text")).set("text", Json.string(text)));
    return this;
  }

  addImage(data: ArrayBuffer, mime: string): ToolResult { return this.media("image", data, mime); }
  addAudio(data: ArrayBuffer, mime: string): ToolResult { return this.media("audio", data, mime); }

  private media(type: string, data: ArrayBuffer, mime: string): ToolResult {
    this.content.push(Json.object().set("type", Json.string(type)).set("data", Json.string(base64(data))).set("mimeType", Json.string(mime)));
    return this;
  }

  /** Adds a text with a URI, such as note:today. */
  addResource(uri: string, mime: string, text: string): ToolResult { return this.resource(uri, mime, "text", text); }

  /** Adds a file with a URI. */
  addFile(uri: string, mime: string, data: ArrayBuffer): ToolResult { return this.resource(uri, mime, "blob", base64(data)); }

  private resource(uri: string, mime: string, name: string, text: string): ToolResult {
    const resource = Json.object().set("uri", Json.string(uri)).set("mimeType", Json.string(mime)).set(name, Json.string(text));
    this.content.push(Json.object().set("type", Json.string("resource")).set("resource", resource));
    return this;
  }

  toString(): string {
    const all = Json.object().set("content", this.content).set("is_error", Json.bool(this.isError));
    if (!this.structured.isNull) all.set("structured", this.structured);
    if (!this.metadata.isNull) all.set("metadata", this.metadata);
    if (this.title) all.set("title", Json.string(this.title));
    return all.toString();
  }
}

// ---- The functions of the host, and of WASI for commands

@external("wasmtool_v1", "input_len") declare function input_len(): i32;
@external("wasmtool_v1", "input_read") declare function input_read(to: usize, size: i32): i32;
@external("wasmtool_v1", "output_write") declare function output_write(bytes: usize, size: i32): i32;
@external("wasmtool_v1", "error_write") declare function error_write(bytes: usize, size: i32): i32;
@external("wasmtool_v1", "log") declare function host_log(level: i32, line: usize, size: i32): i32;
@external("wasmtool_v1", "progress") declare function host_progress(done: f64, total: f64, message: usize, size: i32): i32;
@external("wasmtool_v1", "update") declare function host_update(update: usize, size: i32): i32;
@external("wasmtool_v1", "context_read") declare function context_read(to: usize, size: i32): i32;
@external("wasmtool_v1", "cancelled") declare function host_cancelled(): i32;
@external("wasmtool_v1", "sha256") declare function host_sha256(data: usize, size: i32, to: usize, toSize: i32): i32;
@external("wasmtool_v1", "http_request") declare function http_request(head: usize, headSize: i32, body: usize, bodySize: i32): i32;
@external("wasmtool_v1", "http_head") declare function http_head(handle: i32, to: usize, size: i32): i32;
@external("wasmtool_v1", "http_read") declare function http_read(handle: i32, to: usize, size: i32): i32;
@external("wasmtool_v1", "http_close") declare function http_close(handle: i32): i32;
@external("wasmtool_v1", "secret_exists") declare function secret_exists(name: usize, size: i32): i32;
@external("wasmtool_v1", "kv_get") declare function kv_get(key: usize, keySize: i32, to: usize, size: i32): i32;
@external("wasmtool_v1", "kv_put") declare function kv_put(key: usize, keySize: i32, value: usize, size: i32): i32;
@external("wasmtool_v1", "kv_delete") declare function kv_delete(key: usize, keySize: i32): i32;
@external("wasmtool_v1", "kv_swap") declare function kv_swap(key: usize, keySize: i32, old: usize, oldSize: i32, value: usize, size: i32): i32;
@external("wasmtool_v1", "kv_list") declare function kv_list(prefix: usize, prefixSize: i32, after: usize, afterSize: i32, to: usize, size: i32): i32;
@external("wasmtool_v1", "tool_call") declare function tool_call(name: usize, nameSize: i32, args: usize, size: i32): i32;
@external("wasmtool_v1", "tool_result") declare function tool_result(to: usize, size: i32): i32;
@external("wasmtool_v1", "fault_read") declare function fault_read(to: usize, size: i32): i32;
@external("wasmtool_v1", "files_read") declare function files_read(names: usize, namesSize: i32, limit: i32, to: usize, size: i32): i32;
@external("wasmtool_v1", "files_replace") declare function files_replace(name: usize, nameSize: i32, seen: usize, seenSize: i32, content: usize, size: i32): i32;
@external("wasi_snapshot_preview1", "fd_read") declare function fd_read(file: i32, vectors: usize, count: i32, size: usize): i32;
@external("wasi_snapshot_preview1", "fd_write") declare function fd_write(file: i32, vectors: usize, count: i32, size: usize): i32;
@external("wasi_snapshot_preview1", "proc_exit") declare function proc_exit(code: i32): void;
