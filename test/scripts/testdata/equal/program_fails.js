// program
const { n, text } = JSON.parse(readInput());
console.log("some output");
if (n > 5) throw new TypeError(`more than five: ${n}`);
await Promise.reject(text);
