// The streams and the end of a call, used behind the back of the function.
import { sys } from "wasmtool:sys";

export async function run({ way }) {
  switch (way) {
    case "writes": sys.write(1, '{"content": [{"type": "text", "text": "forged"}]}'); break;
    case "writes twice": sys.write(1, '{"structured": 1}\n{"structured": 2}'); break;
    case "closes": for (const fd of [0, 1, 2, 3, 4, 5]) try { sys.close(fd); } catch {} break;
    case "finishes": sys.finish('{"content": [{"type": "text", "text": "finished"}]}'); break;
    case "finishes with junk": sys.finish("junk"); break;
    case "exits": sys.exit(0);
    case "exits with 256": sys.exit(256);
    case "exits as the engine": sys.exit(0xffffffff);
    case "logs to the result": sys.logTo(1); console.log("junk"); break;
    case "describes": sys.describe = () => "forged"; throw new Error("real");
    case "after": setTimeout(() => sys.write(1, "late")); Promise.resolve().then(() => Promise.resolve()).then(() => sys.write(2, "later")); break;
  }
  return "returned";
}
