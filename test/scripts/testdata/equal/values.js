export function run({ n, text }) {
  return {
    map: [...new Map([[1, "a"], ["b", n]])], set: [...new Set(text)], date: new Date(n * 1e12).toISOString(),
    big: String(2n ** 200n), number: [0.1 + 0.2, -0, 1e300, Number.MAX_SAFE_INTEGER], nested: structuredClone({ a: [{ text }] }),
    none: undefined, sorted: [10, 9, 1, n].toSorted(), grouped: Object.groupBy([1, 2, 3, n], (x) => (x % 2 ? "odd" : "even")),
  };
}
