// Files and modules that the tool was not granted, by every path.
import { sys } from "wasmtool:sys";

export async function run() {
  const reached = [];
  const attempt = async (name, f) => { try { await f(); reached.push(name); } catch (e) { if (!(e instanceof Error)) reached.push(e); } };
  for (const path of [
    "/etc/passwd", "//etc/passwd", "etc/passwd", "/tool/../etc/passwd", "/workspace/../etc/passwd", "/tmp/../../etc/passwd", "/proc/self/environ",
    "/dev/zero", "/tool/.env", "/tool/notes.txt", "/workspace/link", "/workspace/up/passwd", "/workspace/\0/x", "/workspace/pipe", "/workspace/file.txt/",
  ]) {
    await attempt(`read ${path}`, () => sys.readFile(path));
    await attempt(`import ${path}`, () => import(path));
    await attempt(`import file://${path}`, () => import("file://" + path));
  }
  for (const name of [
    "data:text/javascript,export default 1", "http://127.0.0.1/x.js", "https://example.com/x.js", "blob:x", "node:fs", "fs", "std", "os", "qjs:os", "bjson",
    "../../../etc/passwd", "./../.env", "../.boot/boot.js/x", "wasmtool:host", "wasmtool:", "", ".", "..", "@a/../../etc", "%2e%2e/etc/passwd", "a/../../../etc/passwd",
  ]) await attempt(`import ${name}`, () => import(name));
  await attempt("import with attributes", () => import("/etc/passwd", { with: { type: "json" } }));
  for (const path of ["/new", "/etc/new", "/tool/new.js", "/tool/tool.js", "/tool/.boot/boot.js", "/tool/vendor/wasmtool/index.js", "/workspace/new", "/workspace/file.txt"]) {
    for (const mode of [1, 2]) await attempt(`write ${path} ${mode}`, () => sys.write(sys.open(path, mode), "x"));
  }
  for (const fd of [-1, 9, 64, 1000, 2 ** 31 - 1, "x", {}]) await attempt(`descriptor ${fd}`, () => sys.read(fd, 1));
  await attempt("read a directory", () => sys.readFile("/workspace"));
  const fd = sys.open("/tmp/x", 1);
  await attempt("control", () => (sys.write(fd, "export default 1"), sys.close(fd), sys.readFile("/workspace/file.txt"), import("/tmp/x")));
  return reached;
}
