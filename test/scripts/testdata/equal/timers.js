const order = [];
setTimeout(() => order.push("at the start"), 10);
export async function run({ n }) {
  const interval = setInterval(() => order.push("tick"), 2);
  setTimeout(() => order.push("later"), n);
  queueMicrotask(() => order.push("micro"));
  await new Promise((done) => setTimeout(done, 30));
  clearInterval(interval);
  return [order[0], order[1], order.includes("later")];
}
