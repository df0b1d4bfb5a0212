export function run({ n }) {
  Promise.reject(new Error(`lost ${n}`));
  return 1;
}
