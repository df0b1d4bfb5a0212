const seen = [];
const cache = new Map([[0, 0], [1, 1]]);
const fib = (n) => cache.get(n) ?? (cache.set(n, fib(n - 1) + fib(n - 2)), cache.get(n));
fib(30);
globalThis.count = 0;
class Counter { static #made = 0; constructor() { Counter.#made++; } static get made() { return Counter.#made; } }
new Counter();

export function run({ n }) {
  seen.push(n), count++, new Counter();
  const before = cache.size;
  fib(40 + n);
  return [seen, count, Counter.made, before, cache.size, Object.keys(globalThis).filter((k) => k === "late"), (globalThis.late = 1)];
}
