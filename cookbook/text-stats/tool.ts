// text-stats counts words and more.
import { Json, call as run, fail } from "wasmtool";

export function call(): i32 {
  return run(stats);
}

function stats(input: string): string {
  const args = Json.parse(input);
  if (!args || !args.get("text").isString) return fail("text: give a string");
  const text = args.get("text").text;

  const counts = new Map<string, i32>();
  let characters = 0, words = 0, sentences = 0, paragraphs = 0;
  let word = ""; // the word that is being read
  let open = false; // whether the sentence has a word
  let blank = true; // whether the line has only spaces
  let between = true; // whether the next line with content begins a paragraph
  for (let i = 0; i <= text.length; i++) {
    const c = i < text.length ? text.codePointAt(i) : 0x0a; // as if the text ended with its line
    if (i < text.length) characters++;
    if (c > 0xffff) i++; // two units

    if (isLetter(c) || (word.length && isInner(c) && i + 1 < text.length && isLetter(text.codePointAt(i + 1)))) {
      word += String.fromCodePoint(c);
    } else if (word.length) {
      words++;
      open = true;
      const lower = word.toLowerCase();
      counts.set(lower, (counts.has(lower) ? counts.get(lower) : 0) + 1);
      word = "";
    }
    if (open && (c == 0x2e || c == 0x21 || c == 0x3f || c == 0x2026)) { // . ! ? …
      sentences++;
      open = false;
    }
    if (c == 0x0a) {
      if (blank) between = true;
      blank = true;
    } else if (c != 0x20 && c != 0x09 && c != 0x0d) {
      if (between) paragraphs++;
      between = false;
      blank = false;
    }
  }
  if (open) sentences++; // it has no full stop

  return Json.object()
    .set("characters", Json.integer(characters))
    .set("words", Json.integer(words))
    .set("sentences", Json.integer(sentences))
    .set("paragraphs", Json.integer(paragraphs))
    .set("minutes", Json.integer((words + 229) / 230))
    .set("frequent", frequent(counts, <i32>args.get("top").integer))
    .toString();
}

// isLetter reports whether a character belongs to words: AssemblyScript has no table of Unicode.
function isLetter(c: i32): bool {
  if (c < 0x80) return (c >= 0x30 && c <= 0x39) || ((c | 0x20) >= 0x61 && (c | 0x20) <= 0x7a);
  return c >= 0xc0 && c != 0xd7 && c != 0xf7 && !(c >= 0x2000 && c < 0x2c00) && !(c >= 0x3000 && c < 0x3040) && c < 0x1f000;
}

// isInner reports whether a character may be inside of a word: ' ’ -
function isInner(c: i32): bool {
  return c == 0x27 || c == 0x2019 || c == 0x2d;
}

class Count {
  constructor(public word: string, public count: i32) {}
}

// frequent returns the most frequent words; of words with equal counts, the first in the text.
function frequent(counts: Map<string, i32>, top: i32): Json {
  const words = counts.keys();
  const all: Count[] = [];
  for (let i = 0; i < words.length; i++) all.push(new Count(words[i], counts.get(words[i])));
  all.sort((a, b) => b.count - a.count); // a stable sort
  const list = Json.list();
  for (let i = 0; i < min(top, all.length); i++) {
    list.push(Json.object().set("word", Json.string(all[i].word)).set("count", Json.integer(all[i].count)));
  }
  return list;
}
