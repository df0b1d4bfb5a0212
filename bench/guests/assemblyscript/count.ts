// The job of every system under test, in AssemblyScript, with the strings, arrays and garbage
// collector of its runtime.

/** The error message for an input without a text. */
export const NO_TEXT = "text: missing";

/** Takes {"text": "..."} and returns counts of the text as JSON, or "" if there is no text. */
export function count(input: string): string {
  const key = input.indexOf('"text"');
  const open = key < 0 ? -1 : input.indexOf('"', key + 6);
  if (open < 0) return "";
  const text = decode(input, open + 1);

  let words = 0, longest = 0;
  const parts = split(text);
  for (let i = 0; i < parts.length; i++) {
    words++;
    longest = max(longest, String.UTF8.byteLength(parts[i]));
  }
  let lines = 0, letters = 0;
  for (let i = 0; i < text.length; i++) {
    if (i == 0 || text.charCodeAt(i - 1) == 0x0a) lines++;
    if (isLetter(text.charCodeAt(i))) letters++;
  }
  const bytes = String.UTF8.byteLength(text);
  return `{"lines":${lines},"words":${words},"bytes":${bytes},"letters":${letters},"longest":${longest}}`;
}

/** Decodes a JSON string that begins at an offset of the input. */
function decode(input: string, start: i32): string {
  const units = new Array<i32>();
  for (let i = start; i < input.length; i++) {
    let unit = input.charCodeAt(i);
    if (unit == 0x22) break;
    if (unit == 0x5c) {
      unit = input.charCodeAt(++i);
      if (unit == 0x75) {
        unit = i32(parseInt(input.substring(i + 1, i + 5), 16));
        i += 4;
      } else {
        unit = escaped(unit);
      }
    }
    units.push(unit);
  }
  return String.fromCharCodes(units);
}

function escaped(unit: i32): i32 {
  switch (unit) {
    case 0x62: return 0x08;
    case 0x66: return 0x0c;
    case 0x6e: return 0x0a;
    case 0x72: return 0x0d;
    case 0x74: return 0x09;
    default: return unit;
  }
}

function split(text: string): string[] {
  const words: string[] = [];
  let start = -1;
  for (let i = 0; i <= text.length; i++) {
    const space = i == text.length || isSpace(text.charCodeAt(i));
    if (space && start >= 0) words.push(text.substring(start, i));
    if (space) start = -1;
    else if (start < 0) start = i;
  }
  return words;
}

function isSpace(unit: i32): bool {
  return unit == 0x20 || (unit >= 0x09 && unit <= 0x0d);
}

function isLetter(unit: i32): bool {
  return (unit >= 0x61 && unit <= 0x7a) || (unit >= 0x41 && unit <= 0x5a);
}
