function* walk(tree) { for (const node of tree) if (Array.isArray(node)) yield* walk(node); else { const got = yield node; if (got) yield `got ${got}`; } }
async function* lines(n) { for (let i = 0; i < n; i++) { await null; yield i; } }
const started = walk([1, [2, [3]], 4]);
started.next();
export async function run({ n }) {
  const out = [started.next().value, started.next("x").value, ...started];
  for await (const i of lines(n)) out.push(i);
  return [...out, ...Iterator.from([1, 2, 3, 4]).filter((x) => x % 2).map((x) => x * n).take(2)];
}
