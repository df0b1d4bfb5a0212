// The program for the tests of the SDK in AssemblyScript: it does one thing with the SDK for each
// call, and says what came of it. guest/internal/protocol is the same in Go.

import * as wasmtool from "./wasmtool";
import { Json } from "./wasmtool";

let args: Json = Json.object();

/** Returns these bytes. */
function bytesOf(list: u8[]): ArrayBuffer {
  const bytes = new ArrayBuffer(list.length);
  for (let i = 0; i < list.length; i++) store<u8>(changetype<usize>(bytes) + i, list[i]);
  return bytes;
}

// These bytes are not UTF-8, and have a NUL.
const binary = bytesOf([0xff, 0, 0x41, 0xc3, 0x28]);

function text(name: string): string {
  return args.get(name).text;
}

function n(): i32 {
  return <i32>args.get("n").integer;
}

/** Runs the program. */
export function protocol(input: string): string {
  const parsed = Json.parse(input);
  if (!parsed) return wasmtool.fail("the input is not JSON");
  args = parsed;
  const tool = wasmtool.context().get("tool").text;
  if (tool == "quote") return Json.object().set("text", Json.string(text("text"))).set("n", Json.integer(args.get("n").isInteger ? args.get("n").integer : 0)).toString();
  return tool == "blocks" ? blocks() : act();
}

function blocks(): string {
  const result = new wasmtool.ToolResult().addText(text("text"));
  result.isError = text("do") == "fail";
  if (result.isError) return result.toString();
  result.addText(wasmtool.decode(binary));
  result.addImage(bytesOf([0x47, 0x49, 0x46, 0x38, 0x39, 0x61, 1, 0, 1, 0, 0, 0, 0, 0x3b]), "image/gif");
  result.addAudio(bytesOf([0x52, 0x49, 0x46, 0x46, 4, 0, 0, 0, 0x57, 0x41, 0x56, 0x45]), "audio/wav");
  result.addResource("note:a", "text/plain", text("text"));
  result.addFile("note:b", "application/x-b", binary);
  result.structured = Json.object().set("n", Json.integer(args.get("n").integer));
  result.title = "A title";
  result.metadata = Json.object().set("m", Json.list().push(Json.integer(1)));
  return result.toString();
}

function explain(value: string): string {
  const error = wasmtool.lastError();
  if (!error) return "ok " + value;
  assert(error.code >= -6 && error.code < 0);
  return `error ${error.kind} sent=${error.sent} ${error.message}`;
}

function act(): string {
  const what = text("do");
  if (what == "echo") return text("text");
  if (what == "fail") return wasmtool.fail(text("text"));
  if (what.endsWith("_many")) return many();
  if (what.startsWith("kv_")) return keys();
  if (what.startsWith("http")) return request();
  if (what.startsWith("file_")) return file();
  return about();
}

/** Does an action several times. */
function many(): string {
  for (let done = 0; done < n(); done++) {
    if (text("do") == "kv_put_many") {
      wasmtool.kv.put(text("key") + done.toString().padStart(3, "0"), wasmtool.encode("v"));
    } else {
      const response = ask().send();
      if (response && text("do") == "http_many") response.close();
    }
    if (wasmtool.lastError()) return `${done} and ` + explain("");
  }
  return "ok all";
}

function about(): string {
  const what = text("do");
  if (what == "log") wasmtool.log(<wasmtool.Level>n(), text("text"));
  else if (what == "progress") wasmtool.progress(n(), args.get("total").number, text("text"));
  else if (what == "update") {
    const metadata = Json.parse(text("json"));
    wasmtool.update(text("text"), metadata ? metadata : new Json());
  } else if (what == "update_long") wasmtool.update("x".repeat(n()));
  else if (what == "partial") wasmtool.partial(text("text"));
  else if (what == "partial_often") {
    for (let i = 0; i < n() && wasmtool.partial(text("text")); i++);
  } else if (what == "secret") return explain(wasmtool.secretExists(text("key")).toString());
  else if (what == "sha256") return explain(sum(wasmtool.encode(text("text").repeat(max(1, n())))));
  else if (what == "cancelled") wasmtool.cancelled();
  else if (what == "context") return explain(context());
  else if (what == "call") return call();
  else if (what == "peek") {
    const value = Json.parse(text("text"));
    if (value) return explain(value.toString() && value.isInteger && value.integer ? "JSON" : "JSON");
  } else return wasmtool.fail(`the argument do is "${what}", which is not an action of this tool`);
  return explain("");
}

function context(): string {
  const c = wasmtool.context();
  const words: string[] = [c.get("tool").text, c.get("call_id").text, c.get("session").text, c.get("message").text, c.get("idempotency_key").text, c.get("working_directory").text];
  const mounts = c.get("mounts").values, tools = c.get("tools").values;
  for (let i = 0; i < mounts.length; i++) words.push(mounts[i].get("path").text + ":" + mounts[i].get("mode").text);
  words.push("settings " + c.get("settings").get("engine").text + " tools");
  for (let i = 0; i < tools.length; i++) words.push(tools[i].text);
  return words.join(" ");
}

function call(): string {
  const given = Json.parse(text("json"));
  const result = wasmtool.toolCall(text("key"), given ? given : new Json());
  if (!result) return explain("");
  const content = result.get("content").values;
  const texts: string[] = [];
  for (let i = 0; i < content.length; i++) texts.push(content[i].get("text").text);
  const structured = result.get("structured");
  return explain(texts.join("\n") + (structured.isNull ? "" : " " + structured.toString()));
}

function optional(name: string): ArrayBuffer | null {
  const value = args.get(name);
  return value.isString ? wasmtool.encode(value.text) : null;
}

function keys(): string {
  const what = text("do"), key = text("key");
  if (what == "kv_get") {
    const value = wasmtool.kv.get(key);
    if (value) return explain(show(value));
    const error = wasmtool.lastError();
    return error && error.kind == "not_found" ? "ok absent" : explain("");
  }
  if (what == "kv_put") wasmtool.kv.put(key, wasmtool.encode(text("text")));
  else if (what == "kv_put_binary") wasmtool.kv.put(key, binary);
  else if (what == "kv_put_long") wasmtool.kv.put(key, wasmtool.encode("x".repeat(n())));
  else if (what == "kv_delete") wasmtool.kv.remove(key);
  else if (what == "kv_swap") return explain(wasmtool.kv.swap(key, optional("old"), optional("value")) == 1 ? "true" : "false");
  else return explain(wasmtool.kv.list(key, text("after")).join(" "));
  return explain("");
}

function ask(): wasmtool.Request {
  const request = new wasmtool.Request(text("method"), text("url"));
  const header = text("header").split(": ");
  if (header.length > 1) request.headers.push(header);
  request.body = wasmtool.encode(text("do") == "http_long" ? "x".repeat(n()) : text("text"));
  request.manual = args.get("manual").isTrue;
  return request;
}

function request(): string {
  const response = ask().send();
  if (!response) return explain("");
  const body = response.body();
  if (!body) return explain("");
  const answer = response.header("x-answer");
  const url = response.head.get("url").text;
  return explain(`${response.status} ${url} answer=${answer ? answer : ""} body=${show(body)}`);
}

function file(): string {
  let done = true;
  let shown = "";
  if (text("do") == "file_replace") done = wasmtool.files.replace(text("key"), wasmtool.encode(text("text")));
  else {
    const content = wasmtool.files.read(text("key"));
    done = content != null;
    if (content) shown = show(content);
  }
  const error = wasmtool.lastError();
  return !done && error && error.code > 0 ? "ok refused" : explain(shown);
}

function hex(bytes: ArrayBuffer): string {
  let shown = "";
  for (let i = 0; i < bytes.byteLength; i++) {
    const byte = load<u8>(changetype<usize>(bytes) + i);
    shown += (byte < 16 ? "0" : "") + byte.toString(16);
  }
  return shown;
}

function sum(bytes: ArrayBuffer): string {
  const digest = wasmtool.sha256(bytes);
  return digest ? hex(digest) : "";
}

/** Returns bytes in a form that a transcript can have. */
function show(bytes: ArrayBuffer): string {
  if (bytes.byteLength > 500) return `${bytes.byteLength} bytes ${sum(bytes)}`;
  return args.get("hex").isTrue ? hex(bytes) : Json.string(wasmtool.decode(bytes)).toString();
}
