
// URL and URLSearchParams, as WHATWG defines them, but without hosts beyond ASCII (IDNA): such a host
// is an error.

const ports = { "http:": "80", "https:": "443", "ws:": "80", "wss:": "443", "ftp:": "21", "file:": "" };
const special = (scheme) => ports[scheme] !== undefined;
const inFragment = ' "<>`', inQuery = ' "#<>', inPath = inQuery + "?^`{}", inUser = inPath + "/:;=@[\\]|";

// percent encodes the characters of set, and all that are not printable ASCII.
function percent(s, set) {
  let out = "";
  for (const c of wellFormed(s)) {
    if (c > " " && c <= "~" && !set.includes(c)) out += c;
    else for (const b of encode(c, 0)) out += "%" + (b < 16 ? "0" : "") + b.toString(16).toUpperCase();
  }
  return out;
}

function unpercent(s) {
  const b = encode(wellFormed(s), 0), out = new Bytes(b.length);
  let n = 0;
  for (let i = 0; i < b.length; i++) {
    const hex = b[i] === 37 ? decode(b.subarray(i + 1, i + 3), 0) : "";
    out[n++] = /^[0-9a-f]{2}$/i.test(hex) ? ((i += 2), parseInt(hex, 16)) : b[i];
  }
  return decode(out.subarray(0, n), 0);
}

const invalid = (what) => { throw new BadType(`Invalid URL: ${what}`); };

function parseHost(host, isSpecial) {
  if (host[0] === "[") return host.endsWith("]") ? `[${parseIPv6(host.slice(1, -1))}]` : invalid(host);
  if (!isSpecial) return /[\0\t\n\r #/:<>?@[\\\]^|]/.test(host) ? invalid(host) : percent(host, "");
  const name = unpercent(host).toLowerCase();
  if (/[^\x21-\x7e]|[#/:<>?@[\\\]^`{|}%"]/.test(name) || name === "") invalid(`the host ${stringify(host)}`);
  const labels = name.split(".");
  if (labels.length > 1 && labels.at(-1) === "") labels.pop();
  if (!/^([0-9]+|0x[0-9a-f]*)$/.test(labels.at(-1))) return name;
  let sum = 0;
  labels.forEach((label, i) => {
    const hex = label.startsWith("0x"), octal = !hex && /^0./.test(label);
    const n = hex ? parseInt(label.slice(2) || "0", 16) : octal && /^[0-7]+$/.test(label) ? parseInt(label, 8) : /^[0-9]+$/.test(label) && !octal ? +label : NaN;
    const last = i === labels.length - 1;
    if (!(n < (last ? 256 ** (5 - labels.length) : 256)) || labels.length > 4) invalid(host);
    sum += last ? n : n * 256 ** (3 - i);
  });
  return [24, 16, 8, 0].map((bits) => Math.floor(sum / 2 ** bits) % 256).join(".");
}

function parseIPv6(s) {
  const v4 = /^(.*:)(\d+)\.(\d+)\.(\d+)\.(\d+)$/.exec(s);
  if (v4) {
    const b = v4.slice(2).map((x) => (/^(0|[1-9]\d*)$/.test(x) && +x < 256 ? +x : invalid(s)));
    s = v4[1] + (b[0] * 256 + b[1]).toString(16) + ":" + (b[2] * 256 + b[3]).toString(16);
  }
  const halves = s.split("::"), list = (h) => (h ? h.split(":") : []);
  const head = list(halves[0]), tail = list(halves[1]), missing = 8 - head.length - tail.length;
  if (halves.length > 2 || (halves.length === 2 ? missing < 1 : missing !== 0)) invalid(s);
  const all = [...head, ...Array(missing).fill("0"), ...tail].map((p) => (/^[0-9a-f]{1,4}$/i.test(p) ? parseInt(p, 16) : invalid(s)));
  let best = 0, at = -1;
  for (let i = 0, n = 0; i < 8; i++) if ((n = all[i] ? 0 : n + 1) > Math.max(best, 1)) (best = n), (at = i - n + 1);
  const hex = all.map((n) => n.toString(16));
  return at < 0 ? hex.join(":") : `${hex.slice(0, at).join(":")}::${hex.slice(at + best).join(":")}`;
}

// parsePath returns the segments of a path after those of above.
function parsePath(path, above, u) {
  const out = [...above], parts = path.split("/");
  parts.forEach((part, i) => {
    const dots = part.replace(/%2e/gi, "."), last = i === parts.length - 1;
    if (dots === "..") {
      if (!(u.protocol === "file:" && out.length === 1 && /^[a-z]:$/i.test(out[0]))) out.pop();
      if (last) out.push("");
    } else if (dots === ".") {
      if (last) out.push("");
    } else out.push(percent(part, inPath));
  });
  return out;
}

function parseAuthority(authority, u) {
  const at = authority.lastIndexOf("@"), user = authority.slice(0, Math.max(at, 0)), host = authority.slice(at + 1);
  const colon = user.indexOf(":");
  u.username = percent(colon < 0 ? user : user.slice(0, colon), inUser);
  u.password = colon < 0 ? "" : percent(user.slice(colon + 1), inUser);
  const m = /^(\[[^\]]*\]|[^:]*)(?::(\d*))?$/.exec(host) ?? invalid(host);
  if (m[1] === "" && (u.protocol !== "file:" && special(u.protocol) || m[2] || at >= 0)) invalid("no host");
  u.host = m[1] === "" ? "" : parseHost(m[1], special(u.protocol));
  if (u.protocol === "file:" && u.host === "localhost") u.host = "";
  u.port = m[2] ? `${+m[2]}` : "";
  if (+u.port > 65535) invalid(`the port ${u.port}`);
  if (u.port === ports[u.protocol]) u.port = "";
}

function parseURL(input, base) {
  let rest = wellFormed(`${input}`).replace(/^[\0- ]+|[\0- ]+$/g, "").replace(/[\t\n\r]/g, "");
  const scheme = /^[a-z][a-z0-9+.-]*:/i.exec(rest)?.[0].toLowerCase();
  const u = { protocol: scheme ?? base?.protocol ?? invalid(stringify(`${input}`)), username: "", password: "", host: null, port: "", path: [], opaque: null, query: null, fragment: null };
  rest = rest.slice(scheme?.length ?? 0);
  const cut = (c) => {
    const i = rest.indexOf(c), part = i < 0 ? null : rest.slice(i + 1);
    if (i >= 0) rest = rest.slice(0, i);
    return part;
  };
  const fragment = cut("#"), query = cut("?"), isSpecial = special(u.protocol);
  if (fragment !== null) u.fragment = percent(fragment, inFragment);
  if (query !== null) u.query = percent(query, isSpecial ? inQuery + "'" : inQuery);
  if (isSpecial) rest = rest.replace(/\\/g, "/");
  const relative = scheme === undefined || (isSpecial && scheme === base?.protocol && !rest.startsWith("//"));
  if (relative && base.opaque !== null && !(rest === "" && query === null && fragment !== null)) invalid(`${input}`);
  if (!relative && isSpecial && u.protocol !== "file:") rest = "//" + rest.replace(/^\/*/, "");
  if (rest.startsWith("//")) {
    const m = /^\/\/([^/]*)(.*)$/s.exec(rest);
    parseAuthority(m[1], u);
    if (m[2] || isSpecial) u.path = parsePath(m[2].slice(1), [], u);
  } else if (!relative && !isSpecial && !rest.startsWith("/")) {
    u.opaque = rest.split(" ").map((part) => percent(part, "")).join(" ");
  } else {
    if (isSpecial) u.host = "";
    if (relative) for (const k of ["username", "password", "host", "port"]) u[k] = base[k];
    if (rest.startsWith("/")) u.path = parsePath(rest.slice(1), [], u);
    else if (!relative) u.path = parsePath(rest, [], u);
    else if (rest === "") {
      u.path = [...base.path];
      u.opaque = base.opaque;
      if (query === null) u.query = base.query;
    } else u.path = parsePath(rest, base.path.slice(0, -1), u);
  }
  return u;
}

class URLSearchParams {
  #list = []; #changed = () => {};
  constructor(init = "") {
    if (typeof init === "function") this.#changed = init;
    else if (typeof init === "object" && init !== null) {
      for (const [k, v, ...more] of typeof init[Symbol.iterator] === "function" ? init : Object.entries(init)) {
        if (v === undefined || more.length) throw new BadType("each entry needs a name and a value");
        this.#list.push([`${k}`, `${v}`]);
      }
    } else this._read(`${init}`.replace(/^\?/, ""));
  }
  _read(query) {
    this.#list = query.split("&").filter((p) => p !== "").map((p) => {
      const i = p.indexOf("="), part = (s) => unpercent(s.replaceAll("+", " "));
      return i < 0 ? [part(p), ""] : [part(p.slice(0, i)), part(p.slice(i + 1))];
    });
  }
  get size() { return this.#list.length; }
  append(k, v) { this.#list.push([`${k}`, `${v}`]); this.#changed(); }
  delete(k, v) { this.#list = this.#list.filter((e) => e[0] !== `${k}` || (v !== undefined && e[1] !== `${v}`)); this.#changed(); }
  get(k) { return this.#list.find((e) => e[0] === `${k}`)?.[1] ?? null; }
  getAll(k) { return this.#list.filter((e) => e[0] === `${k}`).map((e) => e[1]); }
  has(k, v) { return this.#list.some((e) => e[0] === `${k}` && (v === undefined || e[1] === `${v}`)); }
  set(k, v) {
    const i = this.#list.findIndex((e) => e[0] === `${k}`);
    if (i < 0) return this.append(k, v);
    this.#list = this.#list.filter((e, j) => e[0] !== `${k}` || j === i);
    this.#list[i] = [`${k}`, `${v}`];
    this.#changed();
  }
  sort() { this.#list.sort((a, b) => (a[0] < b[0] ? -1 : a[0] > b[0] ? 1 : 0)); this.#changed(); }
  forEach(f, self) { for (const [k, v] of this) f.call(self, v, k, this); }
  *entries() { for (const e of this.#list) yield [...e]; }
  *keys() { for (const e of this.#list) yield e[0]; }
  *values() { for (const e of this.#list) yield e[1]; }
  [Symbol.iterator]() { return this.entries(); }
  toString() {
    const part = (s) => percent(s, "!\"#$%&'()+,/:;<=>?@[\\]^`{|}~").replaceAll("%20", "+");
    return this.#list.map(([k, v]) => `${part(k)}=${part(v)}`).join("&");
  }
}

class URL {
  #u; #params;
  constructor(input, base) {
    this.#u = parseURL(input, base === undefined ? undefined : parseURL(base));
    this.#params = new URLSearchParams(() => { this.#u.query = this.#params.toString() || null; });
    this.#params._read(this.#u.query ?? "");
  }
  static canParse(input, base) { return URL.parse(input, base) !== null; }
  static parse(input, base) { try { return new URL(input, base); } catch { return null; } }
  // change parses the URL again with a part replaced; an invalid part changes nothing.
  #change(f) { try { const next = { ...this.#u, path: [...this.#u.path] }; f(next); this.#u = next; } catch {} }
  get protocol() { return this.#u.protocol; }
  set protocol(v) { const p = /^[a-z][a-z0-9+.-]*/i.exec(v)?.[0].toLowerCase() + ":"; if (special(p) === special(this.protocol) && p !== "file:") this.#change((u) => { u.protocol = p; if (u.port === ports[p]) u.port = ""; }); }
  get username() { return this.#u.username; }
  set username(v) { this.#change((u) => { u.username = percent(`${v}`, inUser); }); }
  get password() { return this.#u.password; }
  set password(v) { this.#change((u) => { u.password = percent(`${v}`, inUser); }); }
  get hostname() { return this.#u.host ?? ""; }
  set hostname(v) { this.#change((u) => { u.host = parseHost(`${v}`, special(u.protocol)); }); }
  get port() { return this.#u.port; }
  set port(v) { this.#change((u) => { const p = /^\d*/.exec(`${v}`)[0]; if (+p <= 65535) u.port = p === "" || p === ports[u.protocol] ? "" : `${+p}`; }); }
  get host() { return this.hostname + (this.port && ":" + this.port); }
  set host(v) { this.#change((u) => { const { username, password } = u; parseAuthority(`${v}`, u); Object.assign(u, { username, password }); }); }
  get origin() { return special(this.protocol) && this.protocol !== "file:" ? `${this.protocol}//${this.host}` : "null"; }
  get pathname() { return this.#u.opaque ?? this.#u.path.map((p) => "/" + p).join(""); }
  set pathname(v) { if (this.#u.opaque === null) this.#change((u) => { const p = special(u.protocol) ? `${v}`.replace(/\\/g, "/") : `${v}`; u.path = parsePath(p.replace(/^\//, ""), [], u); }); }
  get search() { return this.#u.query ? "?" + this.#u.query : ""; }
  set search(v) { this.#change((u) => { const q = `${v}`.replace(/^\?/, ""); u.query = q === "" ? null : percent(q, special(u.protocol) ? inQuery + "'" : inQuery); }); this.#params._read(this.#u.query ?? ""); }
  get searchParams() { return this.#params; }
  get hash() { return this.#u.fragment ? "#" + this.#u.fragment : ""; }
  set hash(v) { this.#change((u) => { const f = `${v}`.replace(/^#/, ""); u.fragment = f === "" ? null : percent(f, inFragment); }); }
  get href() {
    const { username, password, host, query, fragment, opaque, path } = this.#u;
    const user = username || password ? username + (password && ":" + password) + "@" : "";
    const authority = host === null ? (opaque === null && path.length > 1 && path[0] === "" ? "/." : "") : "//" + user + this.host;
    return this.protocol + authority + this.pathname + (query === null ? "" : "?" + query) + (fragment === null ? "" : "#" + fragment);
  }
  set href(v) { this.#u = parseURL(v); this.#params._read(this.#u.query ?? ""); }
  toString() { return this.href; }
  toJSON() { return this.href; }
}

for (const [name, value] of [["URL", URL], ["URLSearchParams", URLSearchParams]]) {
  defineProperty(value.prototype, Symbol.toStringTag, { value: name, configurable: true });
  defineProperty(globalThis, name, { value, writable: true, configurable: true });
}
