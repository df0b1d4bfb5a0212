// What other systems for JavaScript offer, and what the internals of this one offer.
import { sys } from "wasmtool:sys";

export async function run() {
  const reached = [];
  const attempt = (name, f) => { try { if (f() !== undefined) reached.push(name); } catch {} };
  for (const name of [
    "process", "require", "module", "Deno", "Bun", "fetch", "XMLHttpRequest", "WebSocket", "Worker", "WebAssembly", "std", "os", "bjson", "host", "print", "load",
    "scriptPath", "importScripts", "navigator", "Buffer", "global", "window", "self", "Atomics_wait", "gc", "__loadScript", "$262",
  ]) attempt(name, () => globalThis[name]);
  attempt("Function", () => new Function("return this.process ?? this.host")());
  attempt("eval", () => (0, eval)("typeof host === 'undefined' ? undefined : host"));
  attempt("caller", () => run.caller ?? undefined);
  attempt("callee", () => (function () { return arguments.callee.caller ?? undefined; })());
  attempt("wait", () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1));
  Error.prepareStackTrace = (_, frames) => frames;
  attempt("frames", () => {
    const frames = new Error("x").stack;
    return Array.isArray(frames) ? frames.map((f) => f.getFunction?.() ?? f.getThis?.()).filter((f) => typeof f === "function" && !["run", "attempt", ""].includes(f.name)).map((f) => reached.push(f.name)).at(0) : undefined;
  });
  for (const source of ["host", "process", "export default host"]) {
    try { await sys.evaluate(source, "x"), reached.push(source); } catch {}
  }
  attempt("control", () => 1);
  return reached;
}
