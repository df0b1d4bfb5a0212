// program
// A gigabyte of output.
const { flood } = JSON.parse(readInput()), part = "x".repeat(1 << 20);
for (let i = 0; i < 1024; i++) flood === "output" ? console.log(part) : console.error(part);
