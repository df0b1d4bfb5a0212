export function run({ n }) {
  const data = new Uint8Array(n << 14).map((_, i) => i * 7);
  const lists = Array.from({ length: 20_000 }, (_, i) => [i, `${i}`]);
  const map = new Map(lists.map(([i, s]) => [s, i]));
  return [data.reduce((a, b) => (a * 31 + b) >>> 0, 7), map.get("19999"), "x".repeat(1 << 20).length, String(3n ** 5000n).slice(-20), lists.flat().length];
}
