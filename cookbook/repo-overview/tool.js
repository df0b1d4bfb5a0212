import * as wasmtool from "wasmtool";

export function run() {
  // Each call is checked like any call of the caller. If it fails, so does this one.
  const { count, files } = wasmtool.call("glob", { pattern: "**/*", limit: 1000 }).structured;
  if (count === 0) return "The workspace has no files.";
  const some = files.length < count ? ` (of the ${files.length} changed last)` : "";
  const lines = [`${count} files${some}: ${top(files, type)}`, `by directory: ${top(files, directory)}`];
  const [readme] = wasmtool.call("glob", { pattern: "{README,Readme,readme}*" }).structured.files;
  if (readme) lines.push("", `${readme}:`, beginning(readme));
  return lines.join("\n");
}

function beginning(file) {
  try {
    // The tool read numbers the lines.
    const { text, structured } = wasmtool.call("read", { file_path: file, limit: 20 });
    const shown = text.split("\n").slice(0, structured.last - structured.first + 1);
    return shown.map((line) => line.replace(/^ *\d+\t/, "")).join("\n");
  } catch (e) {
    if (!(e instanceof wasmtool.HostError)) throw e;
    return `(it cannot be read: ${e.message})`; // the rest is still useful
  }
}

const base = (file) => file.slice(file.lastIndexOf("/") + 1);
const type = (file) => base(file).match(/.\.(\w+)$/) ? `.${file.split(".").pop()}` : base(file);
const directory = (file) => (file.includes("/") ? file.slice(0, file.indexOf("/")) : ".");

// Returns the eight most frequent keys, with how often they occur.
function top(files, key) {
  const counts = new Map();
  for (const file of files) counts.set(key(file), (counts.get(key(file)) ?? 0) + 1);
  const sorted = [...counts].sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1));
  return sorted.slice(0, 8).map(([name, n]) => `${name} ${n}`).join(", ");
}
