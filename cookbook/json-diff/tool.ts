type Json = null | boolean | number | string | Json[] | { [name: string]: Json };

interface Change {
  path: string;
  change: "added" | "removed" | "changed";
  before?: Json;
  after?: Json;
}

export function run({ before, after }: { before: Json; after: Json }): Change[] {
  return [...compare("", before, after)];
}

function* compare(path: string, before: Json | undefined, after: Json | undefined): Generator<Change> {
  if (before === undefined) yield { path, change: "added", after };
  else if (after === undefined) yield { path, change: "removed", before };
  else if (isObject(before) && isObject(after) && Array.isArray(before) === Array.isArray(after)) {
    for (const name of new Set([...Object.keys(before), ...Object.keys(after)])) {
      // Own members only: every object inherits others, such as "constructor".
      const own = (value: object) => (Object.hasOwn(value, name) ? value[name as keyof typeof value] : undefined);
      yield* compare(`${path}/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`, own(before), own(after));
    }
  } else if (before !== after) yield { path, change: "changed", before, after };
}

function isObject(value: Json): value is Json[] | { [name: string]: Json } {
  return typeof value === "object" && value !== null;
}
