// Requests to the host's file that are wrong in every way.
import * as wasmtool from "wasmtool";
import { sys } from "wasmtool:sys";

function ask(...parts) {
  const fd = sys.open("/tool/.host", 2);
  try {
    for (const part of parts) sys.write(fd, part);
    const answer = sys.text(sys.read(fd));
    return answer ? JSON.parse(answer) : null;
  } finally {
    sys.close(fd);
  }
}
const request = (name, args) => JSON.stringify({ function: name, arguments: args }) + "\n";

export function run() {
  const wrong = [
    "\n", "null\n", "[]\n", "{}\n", "x\n", "\0\n", '"kv_get"\n', '{"function": 1}\n', '{"function": "kv_get", "arguments": {"key": 1}}\n',
    '{"function": "secret_read", "arguments": {"name": "TOKEN"}}\n',
    '{"function": "constructor", "arguments": {}}\n', '{"function": "kv_list", "arguments": {}} {}\n', "[".repeat(1e6) + "\n",
    request("http_read", { handle: 1, length: 2 ** 40 }), request("http_read", { handle: -1, length: 1 }), request("kv_list", {}).repeat(2),
    request("kv_put", { key: "a", value: { base64: "?" } }), new Uint8Array([255, 254, 10]),
  ];
  const out = [];
  wrong.forEach((line, i) => {
    const answer = ask(line);
    if (!["request"].includes(answer?.error?.kind)) out.push([i, answer]);
  });
  for (const parts of [["x".repeat(17 << 20) + "\n"], Array(17).fill("x".repeat(1 << 20))]) {
    try { ask(...parts); out.push("17 MiB"); } catch {}
  }
  for (const parts of [[], ['{"function"'], [""]]) if (ask(...parts) !== null) out.push(parts);
  for (let i = 0; i < 500; i++) ask("\n");
  const held = [];
  try { while (held.length < 5000) held.push(sys.open("/tool/.host", 2)); } catch {}
  if (held.length > 4) out.push(held.length);
  held.forEach((fd) => sys.close(fd));
  wasmtool.kv.put("sound", "yes");
  return [out, sys.text(wasmtool.kv.get("sound"))];
}
