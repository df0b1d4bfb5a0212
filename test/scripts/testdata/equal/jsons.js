export function run({ n, text }) {
  const rows = Array.from({ length: n * 50 }, (_, id) => ({ id, name: text + id, tags: ["é", "\u2028", null, 1.5e300] }));
  const json = JSON.stringify(rows, null, 1);
  let error;
  try { JSON.parse(json.slice(0, -1)); } catch (e) { error = `${e}`; }
  return { length: json.length, error, rows: JSON.parse(json, (k, v) => (k === "id" ? v + 1 : v)).slice(0, 2) };
}
