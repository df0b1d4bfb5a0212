export function run(args) { return run(args); }
