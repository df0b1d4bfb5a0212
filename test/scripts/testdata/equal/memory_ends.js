export function run() {
  const all = [];
  for (;;) all.push({ all, text: `${all.length}` });
}
