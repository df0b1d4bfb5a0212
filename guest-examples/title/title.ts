// The tool itself, the same for both forms of the module.

// These stay in lower case, unless they come first or last.
const SMALL = [
  "a", "an", "and", "as", "at", "but", "by", "for", "from", "in", "into", "nor",
  "of", "on", "or", "the", "to", "via", "with",
];

/** Returns the text in title case. White space stays unchanged. */
export function title(text: string): string {
  const parts = split(text);
  let first = -1, last = -1;
  for (let i = 0; i < parts.length; i++) {
    if (isSpace(parts[i].charCodeAt(0))) continue;
    if (first < 0) first = i;
    last = i;
  }
  for (let i = first; i >= 0 && i <= last; i++) {
    parts[i] = word(parts[i], i == first || i == last);
  }
  return concat(parts);
}

/** Joins the parts. The library's join takes quadratic time. */
function concat(parts: string[]): string {
  let length = 0;
  for (let i = 0; i < parts.length; i++) length += parts[i].length;
  const units = new StaticArray<u16>(length);
  for (let i = 0, at = 0; i < parts.length; i++) {
    const part = parts[i];
    for (let j = 0; j < part.length; j++) units[at++] = u16(part.charCodeAt(j));
  }
  return String.UTF16.decodeUnsafe(changetype<usize>(units), usize(length) << 1);
}

/** Splits into runs of white space and runs of other characters. */
function split(text: string): string[] {
  const parts: string[] = [];
  let start = 0;
  for (let i = 1; i <= text.length; i++) {
    if (i == text.length || isSpace(text.charCodeAt(i)) != isSpace(text.charCodeAt(start))) {
      parts.push(text.substring(start, i));
      start = i;
    }
  }
  return parts;
}

function isSpace(unit: i32): bool {
  return unit == 0x20 || (unit >= 0x09 && unit <= 0x0d) || unit == 0xa0 || unit == 0x3000 ||
    (unit >= 0x2000 && unit <= 0x200a) || unit == 0x2028 || unit == 0x2029;
}

function word(text: string, edge: bool): string {
  const lower = text.toLowerCase();
  if (!edge && SMALL.includes(lower)) return lower;
  if (lower != text) return text; // it already has a capital: NASA, iPhone
  return capitalise(text);
}

/** Capitalises the first letter: the s of "(see", but no letter of "3rd". */
function capitalise(text: string): string {
  for (let i = 0; i < text.length; ) {
    const code = text.codePointAt(i);
    const next = i + (code > 0xffff ? 2 : 1);
    const letter = text.substring(i, next);
    const capital = upper(letter);
    if (capital != letter) return text.substring(0, i) + capital + text.substring(next);
    if (code >= 0x30 && code <= 0x39) break;
    i = next;
  }
  return text;
}

/** The capital of ß is SS, of which a title capitalises only the first letter. */
function upper(letter: string): string {
  const capital = letter.toUpperCase();
  const rest = letter.length;
  return capital.substring(0, rest) + capital.substring(rest).toLowerCase();
}
