// What the script of a tool can use of wasmtool; docs/scripts.md describes it.

import { sys } from "wasmtool:sys";

const { parse, stringify } = JSON, { assign, defineProperty, entries, setPrototypeOf } = Object, { isArray } = Array, Bytes = Uint8Array;
const Later = Promise, Wrapper = Proxy, Failure = Error, { captureStackTrace } = Error;
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
  const { error, value } = sys.ask(hostFile, `{"function":"${name}","arguments":${text}}\n`);
  if (error) throw new HostError(error);
  return value;
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
export const call = (tool, args = {}) => toolResult(hostText("tool_call", callText(stringify(`${tool}`), args, false, stackBelow(call))));

// callText returns the JSON text of a call. A person who is asked about the call sees the line of the
// script. stringify returns undefined for a function.
const callText = (tool, args, brief, stack) =>
  `{"tool":${tool},"arguments":${stringify(args) ?? null},"brief":${brief},"line":${sys.line(stack)}}`;

// stackBelow returns the stack before a function was called.
function stackBelow(f) {
  const holder = {};
  captureStackTrace(holder, f);
  return holder.stack ?? "";
}

function toolResult({ content, structured }) {
  const blocks = [];
  let text = "", others = 0;
  for (const fields of content ?? []) {
    if (fields.type !== "text") others++;
    else text = blocks.length > others ? `${text}\n${fields.text}` : fields.text;
    blocks[blocks.length] = setPrototypeOf(fields, Content.prototype);
  }
  return { content: blocks, structured, text, value: structured ?? (others ? blocks : text) };
}

// tools are the tools that permissions.tools names, as functions: await tools.github.list_issues({...})
// returns the value of the result, and tools["any-name"] means a tool by its name. Calls that only
// read and are begun before the script waits for one of them run at the same time. tools.call returns
// the whole result, and tools.search finds tools.
export const tools = toolAt("", {
  search: (query = "", limit = 20) => later(() => host("tool_search", { query, language: "typescript", limit })),
  call: function result(tool, args = {}) { return queued(stringify(`${tool}`), args, false, result); },
});

const later = (f) => new Later((resolve) => resolve(f()));

function toolAt(path, known) {
  const tool = stringify(path);
  known = { __proto__: null, ...known };
  const run = (args = {}) => queued(tool, args, true, run);
  return new Wrapper(run, {
    get(_, name) {
      if (typeof name !== "string" || name === "then") return undefined; // a promise can hold it
      return (known[name] ??= toolAt(path ? `${path}.${name}` : name));
    },
  });
}

let queue = [];

// queued returns the promise of the result of a call, or of its value if it is brief. The calls are
// made together, when the script can do nothing else. f is the function that the script called.
function queued(tool, args, brief, f) {
  const stack = stackBelow(f);
  return new Later((resolve, reject) => {
    const text = callText(tool, args, brief, stack);
    if (!queue.length) sys.whenIdle(makeCalls);
    queue[queue.length] = { text, stack, brief, resolve, reject };
  });
}

function makeCalls() {
  const made = queue;
  queue = [];
  try {
    let texts = "";
    for (let i = 0; i < made.length; i++) texts += i ? `,${made[i].text}` : made[i].text;
    const answers = hostText("tool_calls", `{"calls":[${texts}]}`);
    for (let i = 0; i < made.length; i++) {
      const { stack, brief, resolve, reject } = made[i], { error, value } = answers[i];
      if (error) reject(new HostError(error, stack));
      else resolve(brief ? value.structured ?? toolResult(value).value : toolResult(value));
    }
  } catch (e) {
    for (let i = 0; i < made.length; i++) made[i].reject(e);
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
