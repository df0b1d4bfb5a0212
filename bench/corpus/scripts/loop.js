// What the scripts in JavaScript share.
import { sys } from "wasmtool:sys";

const text = (name) => sys.text(sys.readFile(`/data/${name}`));

// library returns the exports of a library in the form of CommonJS or UMD.
function library(name) {
  const module = { exports: {} };
  new Function("module", "exports", text(name))(module, module.exports);
  return module.exports;
}

// loop runs a function once for each byte of the input, and prints a digest of its result.
function loop(run) {
  while (sys.read(0, 1).length > 0) {
    const result = run();
    let sum = 0;
    for (let i = 0; i < result.length; i += 97) sum = (sum * 31 + result.charCodeAt(i)) | 0;
    sys.write(1, `${sum} ${result.length}\n`);
  }
}

export { library, loop, text };
