const log = [];
const watched = new Proxy({}, { get: (_, key) => (log.push(String(key)), key === "then" ? undefined : 1), has: () => true });
const refs = new WeakMap([[log, "kept"]]), symbol = Symbol.for("shared");
export async function run({ n }) {
  const got = (await watched)[`k${n}`] + Reflect.get(watched, symbol);
  return [log, got, refs.get(log), Symbol.keyFor(symbol), new WeakRef(log).deref().length, "x" in watched];
}
