// What the script of a tool can use of wasmtool; docs/scripts.md describes it.

import { sys } from "wasmtool:sys";

const { parse, stringify } = JSON, { assign, defineProperty, entries } = Object, { isArray } = Array, Bytes = Uint8Array;
const Later = Promise, { then } = Promise.prototype, Wrapper = Proxy, Failure = Error, { exec } = RegExp.prototype;
const { indexOf, lastIndexOf, slice } = String.prototype;
const toBase64 = Uint8Array.prototype.toBase64, { fromBase64 } = Uint8Array, { apply } = Reflect, { sort } = Array.prototype;
const encodeText = new TextEncoder();

// Failed ends the call with a message for the caller, without a stack. Its name for scripts is
// Error.
export class Failed extends Error {
  get result() { return new Result(this.message, undefined, { is_error: true }); }
}
export { Failed as Error };

// HostError says why the host refused or could not do something. kind is a word such as "denied" or
// "timeout". sent says that a request may have reached a server.
export class HostError extends Error {
  constructor({ kind, message, sent = false }, stack) {
    super(message);
    if (stack !== undefined) defineProperty(this, "stack", { value: stack, writable: true, configurable: true });
    this.kind = kind;
    this.sent = sent;
  }
}

let hostFile;

const host = (name, args) => hostText(name, stringify(args));

// hostText is host with the JSON text of the arguments. One stringify of nested objects takes longer
// than many of small ones.
function hostText(name, text) {
  hostFile ??= sys.open("/tool/.host", 2);
  sys.write(hostFile, `{"function":"${name}","arguments":${text}}\n`);
  return valueOf(parse(sys.text(sys.read(hostFile))));
}

function valueOf(answer) {
  if (answer.error) throw new HostError(answer.error);
  return answer.value;
}

const base64 = (data) => apply(toBase64, data, []);
const bytes = (value) => (typeof value === "string" ? encodeText.encode(value) : apply(fromBase64, Bytes, [value.base64]));
const flexible = (data) => (typeof data === "string" ? data : { base64: base64(data) });

// http sends a request that the tool's permissions allow. body is a string or a Uint8Array; json is
// sent as JSON. The response has status, url, headers (in lower case), body, text and json().
export function http(method, url, { headers = {}, body = "", json, redirect = "follow" } = {}) {
  const list = entries(headers);
  if (json !== undefined) {
    body = stringify(json);
    list.push(["Content-Type", "application/json"]);
  }
  const { handle, head } = host("http_request", { head: { method, url, headers: list, redirect }, body: flexible(body) });
  const parts = [];
  let size = 0;
  try {
    for (let part; (part = bytes(host("http_read", { handle, length: 1 << 20 }))).length; size += part.length) parts.push(part);
  } finally {
    host("http_close", { handle });
  }
  const all = new Bytes(size);
  parts.reduce((at, part) => (all.set(part, at), at + part.length), 0);
  const named = {};
  for (const [name, value] of head.headers) {
    const key = name.toLowerCase();
    named[key] = key in named ? `${named[key]}, ${value}` : value;
  }
  return {
    status: head.status, url: head.url, headers: named, body: all,
    get text() { return sys.text(all); },
    json: () => parse(sys.text(all)),
  };
}

// kv is the tool's own store. Values are strings or Uint8Arrays; get returns a Uint8Array, or
// undefined. swap sets the key if its value is old; undefined means no value.
export const kv = {
  get(key) {
    try {
      return bytes(host("kv_get", { key }));
    } catch (e) {
      if (e.kind === "not_found") return undefined;
      throw e;
    }
  },
  put(key, value) { host("kv_put", { key, value: flexible(value) }); },
  delete(key) { host("kv_delete", { key }); },
  swap(key, old, value) {
    return host("kv_swap", { key, old: old === undefined ? undefined : flexible(old), value: value === undefined ? undefined : flexible(value) });
  },
  list(prefix = "", after = "") { return host("kv_list", { prefix, after }); },
};

let start;

// absolute returns the path of a file. A relative path starts at the working directory of the call.
function absolute(path) {
  if (path[0] === "/") return path;
  start ??= context().working_directory ?? "/workspace";
  return `${start}/${path}`;
}

// files are the files of the tool and of the directories that it may access. list returns objects
// with name and type: "file", "directory", "link" or "other".
export const files = {
  read: (path) => sys.readFile(absolute(path)),
  text: (path) => sys.text(sys.readFile(absolute(path))),
  write: (path, data) => sys.writeFile(absolute(path), data),
  list: (path = ".") => apply(sort, sys.list(absolute(path)), [(a, b) => (a.name < b.name ? -1 : 1)]),
};

// call calls another tool, which permissions.tools must name. The result has text, content (blocks),
// structured, and value: the structured value, or the text if there is none. A call that fails is a
// HostError, whose kind is the code of the failure.
export const call = (tool, args = {}) => toolResult(hostText("tool_call", callText(tool, args, scriptStack())));

// callText returns the JSON text of a call. stringify returns undefined for a function.
const callText = (tool, args, stack) => `{"tool":${stringify(`${tool}`)},"arguments":${stringify(args) ?? null},"line":${lineIn(stack)}}`;

function toolResult({ content, structured }) {
  const blocks = [];
  let text = "", others = 0;
  for (const fields of content ?? []) {
    if (fields.type !== "text") others++;
    else text = blocks.length > others ? `${text}\n${fields.text}` : fields.text;
    blocks[blocks.length] = new Content(fields);
  }
  return { content: blocks, structured, text, value: structured ?? (others ? blocks : text) };
}

// scriptStack returns the stack without the frames of this file.
function scriptStack() {
  const stack = new Failure().stack ?? "", last = apply(lastIndexOf, stack, ["/wasmtool/index.js:"]);
  return apply(slice, stack, [apply(indexOf, stack, ["\n", last]) + 1]);
}

// lineIn returns the line at the top of a stack, or 0. A person who is asked about a call sees it.
function lineIn(stack) {
  const place = apply(exec, /:(\d+):\d+\)?$/m, [stack]);
  return place ? +place[1] : 0;
}

// tools are the tools that permissions.tools names, as functions: await tools.github.list_issues({...})
// returns the value of the result, and tools["any-name"] means a tool by its name. Calls that only
// read and are begun before the first is awaited run at the same time. tools.call returns the whole
// result, and tools.search finds tools.
export const tools = toolAt("", {
  search: (query = "", limit = 20) => later(() => host("tool_search", { query, language: "typescript", limit })),
  call: (tool, args = {}) => queued(tool, args, (result) => result),
});

const later = (f) => new Later((resolve) => resolve(f()));

const valueOfResult = (result) => result.value;

function toolAt(path, known) {
  known = { __proto__: null, ...known };
  return new Wrapper((args = {}) => queued(path, args, valueOfResult), {
    get(_, name) {
      if (typeof name !== "string" || name === "then") return undefined; // a promise can hold it
      return (known[name] ??= toolAt(path ? `${path}.${name}` : name));
    },
  });
}

const soon = Later.resolve();
let queue = [];

// queued returns the promise of what pick takes from the result of a call. The calls of a turn are
// made together.
function queued(tool, args, pick) {
  const stack = scriptStack();
  return new Later((resolve, reject) => {
    const text = callText(tool, args, stack);
    if (!queue.length) apply(then, soon, [makeCalls]);
    queue[queue.length] = { text, stack, pick, resolve, reject };
  });
}

function makeCalls() {
  const made = queue;
  queue = [];
  try {
    let texts = "";
    for (const { text } of made) texts += texts ? `,${text}` : text;
    const answers = hostText("tool_calls", `{"calls":[${texts}]}`);
    for (let i = 0; i < made.length; i++) {
      const { stack, pick, resolve, reject } = made[i], { error, value } = answers[i];
      if (error) reject(new HostError(error, stack));
      else resolve(pick(toolResult(value)));
    }
  } catch (e) {
    for (const { reject } of made) reject(e);
  }
}

// secretExists reports whether the operator has a secret that the tool may use. No script can read
// a secret.
export const secretExists = (name) => host("secret_exists", { name });

const levels = ["debug", "info", "warning", "error"];

export function log(text, level = "info") {
  if (!levels.includes(level)) throw new RangeError(`the level is one of ${levels.join(", ")}`);
  host("log", { level: levels.indexOf(level), text: `${text}` });
}

// progress reports progress in the tool's own units. A total of 0 means that it is unknown.
export const progress = (done, total = 0, message = "") => void host("progress", { done, total, message });

// update reports what the call is doing, and the result so far as text.
export const update = (title = "", metadata = {}, partial) =>
  void host("update", { title, metadata, content: partial === undefined ? [] : [{ type: "text", text: partial }] });

// context returns what is known of the call: tool, call_id, session, settings and more, if set.
export const context = () => host("context_read", {});

// Content is a block of a result. run may return one, or a list of blocks and strings.
class Content {
  constructor(fields) { assign(this, fields); }
}

// isContent reports whether a value is a block that one of the functions below made, or a tool
// returned.
export const isContent = (value) => value instanceof Content;

export const text = (value) => new Content({ type: "text", text: value });
export const image = (data, mimeType = "image/png") => new Content({ type: "image", data: base64(data), mimeType });
export const audio = (data, mimeType = "audio/wav") => new Content({ type: "audio", data: base64(data), mimeType });
export const resource = (uri, mimeType, content) =>
  new Content({ type: "resource", resource: { uri, mimeType, ...(typeof content === "string" ? { text: content } : { blob: base64(content) }) } });

// Result is a whole result: blocks or strings, a value for programs, and more of docs/native.md.
export class Result {
  constructor(content, structured, more = {}) {
    assign(this, more);
    if (content !== undefined) this.content = (isArray(content) ? content : [content]).map((b) => (typeof b === "string" ? text(b) : b));
    if (structured !== undefined) this.structured = structured;
  }
}

// resultText returns the JSON text of a result, or undefined for a value that is not JSON. typed says
// that the manifest describes the result.
export function resultText(value, typed) {
  if (value instanceof Result) return stringify(value);
  const isBlocks = isArray(value) && value.some((block) => block instanceof Content);
  if (value instanceof Content || isBlocks || (typeof value === "string" && !typed)) return stringify(new Result(value));
  if (value === undefined && !typed) return stringify(new Result([]));
  const json = stringify(value);
  return json && `{"structured":${json}}`;
}
