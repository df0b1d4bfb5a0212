// program
const args = JSON.parse(readInput());
console.log(args.text, scriptArgs, import.meta.url);
const { default: fs } = await import("/tool/no.js").catch((e) => ({ default: e.message }));
console.log(fs);
setTimeout(() => console.log("last"), 1);
