export const run = () => ({ a: 1n });
