import * as wasmtool from "wasmtool";

const BEGIN = "<!-- toc -->";
const END = "<!-- /toc -->";

export function run({ file, depth }: { file: string; depth: number }): string {
  let text: string;
  try {
    text = wasmtool.files.text(file);
  } catch (e) {
    throw new wasmtool.Error((e as Error).message);
  }
  const lines = text.split("\n");
  const isLine = (wanted: string) => (line: string) => line.trim() === wanted;
  const begin = lines.findIndex(isLine(BEGIN));
  const end = lines.findIndex(isLine(END));
  if (begin < 0 || end < begin) throw new wasmtool.Error(`${file}: write ${BEGIN} and ${END} where the table belongs, each on its own line`);

  const table = contents(lines, depth);
  const updated = [...lines.slice(0, begin + 1), ...table, ...lines.slice(end)].join("\n");
  if (updated === text) return `${file}: the table is up to date`;
  wasmtool.files.write(file, updated);
  return `${file}: ${table.length} headings are listed`;
}

function contents(lines: string[], depth: number): string[] {
  const table: string[] = [];
  const used = new Map<string, number>();
  let fence = "";
  for (const line of lines) {
    const mark = line.match(/^ {0,3}(```+|~~~+)/)?.[1];
    if (fence) {
      if (mark?.startsWith(fence) && line.trim() === mark) fence = "";
      continue;
    }
    if (mark) fence = mark;
    const [, level, title] = line.match(/^ {0,3}(#{1,6})[ \t]+(.+?)(?:[ \t]+#+)?[ \t]*$/) ?? [];
    if (!title) continue;
    let anchor = title.toLowerCase().replace(/[^\p{L}\p{N}\p{M} _-]/gu, "").replaceAll(" ", "-");
    const count = used.get(anchor) ?? 0; // GitHub also counts headings that are not listed
    used.set(anchor, count + 1);
    if (count > 0) anchor += `-${count}`;
    if (level.length >= 2 && level.length <= depth) table.push(`${"  ".repeat(level.length - 2)}- [${title}](#${anchor})`);
  }
  return table;
}
