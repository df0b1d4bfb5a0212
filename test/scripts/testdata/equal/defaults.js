// Without permissions, time and random numbers are those of every call.
const early = Date.now();
export const run = () => [Math.random(), crypto.randomUUID(), [...crypto.getRandomValues(new Uint8Array(4))], Date.now() - early, performance.now()];
