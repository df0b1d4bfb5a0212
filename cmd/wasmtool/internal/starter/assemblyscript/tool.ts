// The tool gets the argument "text" on standard input, as tool.toml says, and writes the result to
// standard output.
const input: u8[] = [];
const block = new Uint8Array(4096);
for (let n = process.stdin.read(block.buffer); n > 0; n = process.stdin.read(block.buffer)) {
  for (let i = 0; i < n; i++) input.push(block[i]);
}
const text = String.UTF8.decodeUnsafe(input.dataStart, input.length);

let words = 0;
let inside = false;
for (let i = 0; i < text.length; i++) {
  const space = text.charCodeAt(i) <= 32;
  if (!space && !inside) words++;
  inside = !space;
}
if (words == 0) {
  process.stderr.write("the text has no words\n"); // for the model
  process.exit(1);
}
process.stdout.write(words.toString());
