export function run({ n }) {
  console.log("a line", n), console.error("an error", new Map([[n, n]])), console.warn(Symbol("s"));
  return "done";
}
