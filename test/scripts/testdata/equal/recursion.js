const depth = (n = 0) => { try { return depth(n + 1); } catch (e) { if (e instanceof RangeError) return n; throw e; } };
const ackermann = (m, n) => (m === 0 ? n + 1 : n === 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1)));
export const run = ({ n }) => [depth() > 500, depth(), ackermann(2, n)];
