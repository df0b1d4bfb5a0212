// A server echoes the secret that the host put into the request.
import * as wasmtool from "wasmtool";

export function run({ path, end }) {
  const response = wasmtool.http("GET", "https://api.example.com" + path);
  const { text, body } = response;
  wasmtool.log(text), wasmtool.progress(1, 2, text), wasmtool.update(text, { a: text }, text);
  wasmtool.kv.put("kept", text);
  console.log(text), console.error(text);
  switch (end) {
    case "raise": throw new TypeError(text);
    case "error": throw new wasmtool.Error(text);
    case "exit": throw text;
    case "structured": return { text, headers: response.headers, list: [...text], [text]: 1 };
    case "image": return [text, wasmtool.resource("file:///x", "text/plain", text), wasmtool.resource("file:///y", "text/plain", body)];
    case "traceback": Object.defineProperty(run2, "name", { value: text }); run2(text);
  }
  return `${text} ${JSON.stringify(response.headers)}`;
}
function run2(text) { throw new Error("x", { cause: new Error(text) }); }
