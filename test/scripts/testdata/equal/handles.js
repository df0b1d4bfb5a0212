const steps = [];
using: try { break using; } finally { steps.push("start"); }
export async function run({ n }) {
  for (let i = 0; i < n; i++) {
    try { if (i % 2) throw new RangeError(i); steps.push(i); } catch (e) { steps.push(e.message); } finally { steps.push("."); }
  }
  const all = await Promise.allSettled([Promise.reject(new Error("a")), new Promise((r) => setTimeout(r, 5, "b")), 3]);
  const any = await Promise.any([Promise.reject(1), 2]).catch((e) => e.errors);
  return [steps.join(""), all.map((r) => r.value ?? r.reason.message), any, new AggregateError([1], "x").errors];
}
