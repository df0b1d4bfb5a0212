export function run() {
  const blocks = [];
  try { for (;;) blocks.push(new Uint8Array(1 << 20)); } catch (e) { return [`${e}`, blocks.length]; }
}
