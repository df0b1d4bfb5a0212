Object.prototype.early = 1;
export function run({ n }) {
  const before = [({}).early, ({}).late, [].sum?.()];
  Object.prototype.late = n;
  Array.prototype.sum = function () { return this.reduce((a, b) => a + b, 0); };
  const after = [({}).late, [1, n].sum()];
  delete Object.prototype.early, delete Object.prototype.late, delete Array.prototype.sum;
  return [before, after];
}
