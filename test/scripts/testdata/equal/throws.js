class Bad extends Error {
  constructor(n, options) { super(`bad ${n}`, options); this.name = "Bad"; }
}
function inner(n) {
  try { null[n]; } catch (cause) { throw new Bad(n, { cause }); }
}
export async function run({ n }) {
  await null;
  inner(n);
}
