export const run = ({ n }) => Array.from({ length: n * 1000 }, () => "x".repeat(100));
