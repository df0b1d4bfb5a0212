// What one tenant sees of another one's image.
const marks = [];
export function run({ mark }) {
  marks.push(mark);
  return [marks, [], [Math.random(), crypto.randomUUID(), [...crypto.getRandomValues(new Uint8Array(8))].join()]];
}
