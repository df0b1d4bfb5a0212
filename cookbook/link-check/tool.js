import * as wasmtool from "wasmtool";

export function run({ file }) {
  const links = find(read(file));
  const broken = [];
  let checked = 0;
  for (const [url, line] of links) {
    wasmtool.progress(checked++, links.size, url);
    const reason = check(url);
    if (reason) broken.push({ line, url, reason });
  }
  return { checked, broken };
}

function read(file) {
  try {
    return wasmtool.files.text(file);
  } catch (e) {
    throw new wasmtool.Error(e.message);
  }
}

// Returns the line on which each URL is first, without its fragment.
function find(text) {
  const links = new Map();
  text.split("\n").forEach((content, i) => {
    for (let [url] of content.matchAll(/https?:\/\/[^\s<>"'`\]]+/g)) {
      url = trim(url).replace(/#.*/, "");
      if (!links.has(url)) links.set(url, i + 1);
    }
  });
  return links;
}

// Removes what belongs to the sentence: punctuation, and a parenthesis that the URL does not open.
function trim(url) {
  for (;;) {
    const count = (c) => url.split(c).length;
    if (/[.,;:!?*]$/.test(url) || (url.endsWith(")") && count(")") > count("("))) url = url.slice(0, -1);
    else return url;
  }
}

// Returns why a link does not work.
function check(url) {
  try {
    let { status } = wasmtool.http("HEAD", url);
    // Many servers refuse HEAD, with all kinds of codes.
    if (status >= 400 && status !== 404 && status !== 410) ({ status } = wasmtool.http("GET", url));
    if (status >= 400) return `status ${status}`;
  } catch (e) {
    if (!(e instanceof wasmtool.HostError)) throw e;
    if (e.kind === "too_many") throw new wasmtool.Error(e.message); // the limit of tool.toml
    return e.message; // the host refuses or cannot reach this link
  }
}
