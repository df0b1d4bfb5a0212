const word = /(?<first>\p{L})(?<rest>\p{L}*)/gu;
export function run({ n, text }) {
  const many = text.repeat(200);
  return [
    text.replace(word, "$<rest>$<first>"), many.match(word).length, text.split(/[\s,]+/), [...text.matchAll(/\b\w/dg)].map((m) => m.indices[0]),
    /^(a|b|ab)*c$/.test("ab".repeat(n) + "c"), /(?<=\s)\S/y.lastIndex, text.replaceAll(/[aeiou]/gi, (c) => c.toUpperCase()), /[\p{L}--[a-z]]/v.test(text),
  ];
}
