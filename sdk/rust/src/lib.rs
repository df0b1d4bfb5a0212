//! The SDK for wasmtool tools, without dependencies. A tool is a function from its input, which is
//! usually a JSON object, to a text, a [`Json`] or a [`ToolResult`]. Build it as a reactor, with
//! the crate type `cdylib`, or as a command:
//!
//! ```ignore
//! fn greet(input: &str) -> Result<String, String> {
//!     let arguments = wasmtool::Json::parse(input)?;
//!     Ok(format!("Hello, {}!", arguments.get("name").as_str().unwrap_or("you")))
//! }
//!
//! #[no_mangle]
//! pub extern "C" fn call() -> i32 { wasmtool::call(greet) } // a reactor
//!
//! fn main() -> std::process::ExitCode { wasmtool::run(greet) } // a command
//! ```
//!
//! Files are opened with `std::fs`. This file needs no other, so it may also be copied into a tool as
//! `wasmtool.rs`. `docs/sdks.md` of wasmtool lists the functions for all languages, and `docs/abi.md`
//! explains what the host does.
#![allow(dead_code)] // a tool that copies this file does not use all of it

use std::fmt;
use std::io::{self, Read, Write};
use std::process::ExitCode;

/// Runs a tool in a reactor and returns what its export `call` must return. The message of an error
/// is for the model. A panic ends the call with its message.
pub fn call<O: Into<Vec<u8>>, E: fmt::Display>(tool: impl FnOnce(&str) -> Result<O, E>) -> i32 {
    fn fail(message: &str) {
        unsafe { error_write(message.as_ptr(), message.len()) };
    }
    std::panic::set_hook(Box::new(|panic| {
        fail(&panic.to_string());
        std::process::exit(1) // a trap would hide the message
    }));
    let mut input = vec![0; unsafe { input_len() }];
    let size = unsafe { input_read(input.as_mut_ptr(), input.len()) };
    input.truncate(size);
    match tool(&String::from_utf8_lossy(&input)) {
        Ok(output) => {
            let output = output.into();
            unsafe { output_write(output.as_ptr(), output.len()) };
            0
        }
        Err(error) => {
            fail(&error.to_string());
            1
        }
    }
}

/// Runs a tool in a command and returns what `main` must return.
pub fn run<O: Into<Vec<u8>>, E: fmt::Display>(tool: impl FnOnce(&str) -> Result<O, E>) -> ExitCode {
    let mut input = Vec::new();
    let done = io::stdin().read_to_end(&mut input).map_err(|e| e.to_string()).and_then(|_| {
        let output = tool(&String::from_utf8_lossy(&input)).map_err(|e| e.to_string())?;
        io::stdout().write_all(&output.into()).map_err(|e| e.to_string())
    });
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("{message}");
            ExitCode::FAILURE
        }
    }
}

/// Why the host refused or could not do something.
#[derive(Clone, Debug)]
pub struct Error {
    /// A negative code: -1 denied, -2 not found, -3 invalid, -4 too much, -5 unavailable, -6 timeout.
    /// Treat an unknown one as -5. [`files::replace`] also has positive ones: WASI's error numbers.
    pub code: i32,
    /// One word, such as `denied`; `docs/abi.md` lists them.
    pub kind: String,
    pub message: String,
    /// Whether a request may have reached a server.
    pub sent: bool,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Error {}

/// Converts the result of a host function.
fn check(result: i32) -> Result<usize, Error> {
    if result >= 0 {
        return Ok(result as usize);
    }
    let mut text = vec![0; 512];
    loop {
        let size = unsafe { fault_read(text.as_mut_ptr(), text.len()) };
        if size <= text.len() {
            text.truncate(size);
            break;
        }
        text.resize(size, 0);
    }
    let fault = Json::parse(&String::from_utf8_lossy(&text)).unwrap_or(Json::Null);
    let word = |name: &str, missing: &str| fault.get(name).as_str().unwrap_or(missing).to_string();
    let sent = fault.get("sent").as_bool() == Some(true);
    Err(Error { code: result, kind: word("kind", "unavailable"), message: word("message", "the host refused"), sent })
}

/// Returns all that a host function copies. It copies what fits, and returns the full length.
fn read_all(mut read: impl FnMut(*mut u8, usize) -> i32) -> Result<Vec<u8>, Error> {
    let mut buffer = vec![0; 512];
    loop {
        let size = check(read(buffer.as_mut_ptr(), buffer.len()))?;
        if size <= buffer.len() {
            buffer.truncate(size);
            return Ok(buffer);
        }
        buffer.resize(size, 0);
    }
}

fn read_json(read: impl FnMut(*mut u8, usize) -> i32) -> Result<Json, Error> {
    let text = read_all(read)?;
    // The host's JSON is valid, but the result of a tool may be too deep.
    let deep = |message| Error { code: -4, kind: "too_large".into(), message, sent: false };
    Json::parse(&String::from_utf8_lossy(&text)).map_err(deep)
}

/// The severity of a line of the log.
#[derive(Clone, Copy, Debug)]
pub enum Level {
    Debug,
    Info,
    Warn,
    Error,
}

/// Sends a line to the clients that watch the call.
pub fn log(level: Level, line: &str) {
    unsafe { host_log(level as i32, line.as_ptr(), line.len()) };
}

/// Reports that `done` of `total` units are complete; a `total` of 0 means unknown.
pub fn progress(done: f64, total: f64, message: &str) {
    unsafe { host_progress(done, total, message.as_ptr(), message.len()) };
}

/// Reports a title, which may be empty, and values by name, or `Json::Null`.
pub fn update(title: &str, metadata: Json) -> Result<(), Error> {
    let mut fields = vec![("title", title.into())];
    if metadata != Json::Null {
        fields.push(("metadata", metadata));
    }
    send_update(Json::object(fields))
}

/// Reports the result so far, which replaces the earlier one.
pub fn partial(text: &str) -> Result<(), Error> {
    let block = Json::object([("type", "text".into()), ("text", text.into())]);
    send_update(Json::object([("content", Json::List(vec![block]))]))
}

fn send_update(update: Json) -> Result<(), Error> {
    let text = update.to_string();
    check(unsafe { host_update(text.as_ptr(), text.len()) }).map(drop)
}

/// Returns the object that describes the call: `tool`, `call_id`, `session`, `settings` and more.
pub fn context() -> Json {
    read_json(|to, len| unsafe { context_read(to, len) }).unwrap_or(Json::Null)
}

/// Returns, unless the call was cancelled. Every other function of the host does the same.
pub fn cancelled() {
    unsafe { host_cancelled() };
}

/// Computes a digest in the host, which takes a fiftieth of the time. At most 64 MiB.
pub fn sha256(data: &[u8]) -> Result<[u8; 32], Error> {
    let mut digest = [0; 32];
    check(unsafe { host_sha256(data.as_ptr(), data.len(), digest.as_mut_ptr(), 32) })?;
    Ok(digest)
}

/// Reports whether the secret is granted to this tool and the operator has it.
pub fn secret_exists(name: &str) -> bool {
    unsafe { host_secret_exists(name.as_ptr(), name.len()) == 1 }
}

/// Calls another tool with an object, and returns its result with `content` and `structured`. The
/// kind of a failure is the code of the call, such as `invalid_argument`.
pub fn tool_call(name: &str, arguments: &Json) -> Result<Json, Error> {
    let text = arguments.to_string();
    check(unsafe { host_tool_call(name.as_ptr(), name.len(), text.as_ptr(), text.len()) })?;
    read_json(|to, len| unsafe { tool_result(to, len) })
}

/// The tool's own store.
pub mod kv {
    use super::*;

    /// Returns the value of a key, or None without the key.
    pub fn get(key: &str) -> Result<Option<Vec<u8>>, Error> {
        match read_all(|to, len| unsafe { kv_get(key.as_ptr(), key.len(), to, len) }) {
            Err(error) if error.kind == "not_found" => Ok(None),
            value => value.map(Some),
        }
    }

    pub fn put(key: &str, value: &[u8]) -> Result<(), Error> {
        check(unsafe { kv_put(key.as_ptr(), key.len(), value.as_ptr(), value.len()) }).map(drop)
    }

    pub fn delete(key: &str) -> Result<(), Error> {
        check(unsafe { kv_delete(key.as_ptr(), key.len()) }).map(drop)
    }

    /// Sets a key to `value` if its value is `old`, and reports whether it did. None means no value.
    pub fn swap(key: &str, old: Option<&[u8]>, value: Option<&[u8]>) -> Result<bool, Error> {
        let part = |bytes: Option<&[u8]>| bytes.map_or((std::ptr::null(), usize::MAX), |b| (b.as_ptr(), b.len()));
        let ((old, old_len), (value, len)) = (part(old), part(value));
        Ok(check(unsafe { kv_swap(key.as_ptr(), key.len(), old, old_len, value, len) })? == 1)
    }

    /// Returns up to 1000 keys that begin with `prefix` and sort after `after`; both may be empty.
    pub fn list(prefix: &str, after: &str) -> Result<Vec<String>, Error> {
        let keys = read_json(|to, len| unsafe {
            kv_list(prefix.as_ptr(), prefix.len(), after.as_ptr(), after.len(), to, len)
        })?;
        Ok(keys.list().iter().filter_map(|key| key.as_str().map(String::from)).collect())
    }
}

/// A request. The host checks it and adds the secrets.
#[derive(Clone, Debug, Default)]
pub struct Request {
    pub method: String,
    pub url: String,
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
    /// Returns a redirect as the response.
    pub manual: bool,
}

impl Request {
    /// Sends the request and waits for the head of the response.
    pub fn send(&self) -> Result<Response, Error> {
        let pair = |(name, value): &(String, String)| Json::List(vec![name.as_str().into(), value.as_str().into()]);
        let head = Json::object([
            ("method", self.method.as_str().into()),
            ("url", self.url.as_str().into()),
            ("headers", Json::List(self.headers.iter().map(pair).collect())),
            ("redirect", if self.manual { "manual" } else { "follow" }.into()),
        ])
        .to_string();
        let (body, len) = (self.body.as_ptr(), self.body.len());
        let handle = check(unsafe { http_request(head.as_ptr(), head.len(), body, len) })? as i32;
        let mut response = Response { handle, status: 0, head: Json::Null };
        response.head = read_json(|to, len| unsafe { http_head(handle, to, len) })?;
        response.status = response.head.get("status").as_i64().unwrap_or(0) as u16;
        Ok(response)
    }
}

/// A response, which is closed when it is dropped. Read its body with [`Response::body`], or in parts
/// with [`Response::read`].
#[derive(Debug)]
pub struct Response {
    handle: i32,
    pub status: u16,
    /// The object with `status`, `url` and `headers`.
    pub head: Json,
}

impl Response {
    /// Returns the first header of a name in any case.
    pub fn header(&self, name: &str) -> Option<&str> {
        let mut pairs = self.head.get("headers").list().iter().map(Json::list);
        let named = |pair: &&[Json]| pair.first().and_then(Json::as_str).map_or(false, |n| n.eq_ignore_ascii_case(name));
        let pair = pairs.find(named)?;
        pair.get(1)?.as_str()
    }

    /// Reads the next bytes of the body, and returns their number; 0 at the end.
    pub fn read(&mut self, to: &mut [u8]) -> Result<usize, Error> {
        check(unsafe { http_read(self.handle, to.as_mut_ptr(), to.len().min(i32::MAX as usize)) })
    }

    /// Reads the rest of the body.
    pub fn body(&mut self) -> Result<Vec<u8>, Error> {
        let (mut body, mut part) = (Vec::new(), vec![0; 16384]);
        loop {
            match self.read(&mut part)? {
                0 => return Ok(body),
                size => body.extend_from_slice(&part[..size]),
            }
        }
    }
}

impl Drop for Response {
    fn drop(&mut self) {
        unsafe { http_close(self.handle) };
    }
}

/// Files: use `std::fs`. This replaces one completely or not at all.
pub mod files {
    use super::*;

    /// Replaces the content of a file. `seen` is None, or the record of the file that must not have
    /// changed: see `files_stat` in `docs/abi.md`.
    pub fn replace(path: &str, content: &[u8], seen: Option<&[u8; 32]>) -> Result<(), Error> {
        let (seen, seen_len) = seen.map_or((std::ptr::null(), 0), |s| (s.as_ptr(), 32));
        let (data, len) = (content.as_ptr(), content.len());
        match check(unsafe { files_replace(path.as_ptr(), path.len(), seen, seen_len, data, len) })? as i32 {
            0 => Ok(()),
            code => Err(Error { code, kind: "file".into(), message: format!("{path}: error {code} of WASI"), sent: false }),
        }
    }
}

/// A result with content blocks, for `module.output = "result"`.
#[derive(Clone, Debug)]
pub struct ToolResult {
    /// The blocks, which the methods add.
    pub content: Vec<Json>,
    /// The result for programs; `Json::Null` means none.
    pub structured: Json,
    /// Whether the tool failed; the content then says why.
    pub is_error: bool,
    /// A short line for people, which may be empty.
    pub title: String,
    /// More values for programs, or `Json::Null`.
    pub metadata: Json,
}

impl Default for ToolResult {
    fn default() -> Self {
        ToolResult { content: vec![], structured: Json::Null, is_error: false, title: String::new(), metadata: Json::Null }
    }
}

impl ToolResult {
    /// Returns the result of a call that failed.
    pub fn failure(message: &str) -> Self {
        ToolResult { is_error: true, ..Self::default().text(message) }
    }

    fn with(mut self, block: Json) -> Self {
        self.content.push(block);
        self
    }

    pub fn text(self, text: &str) -> Self {
        self.with(Json::object([("type", "text".into()), ("text", text.into())]))
    }

    pub fn image(self, data: &[u8], mime: &str) -> Self {
        self.with(Json::object([("type", "image".into()), ("data", base64(data).into()), ("mimeType", mime.into())]))
    }

    pub fn audio(self, data: &[u8], mime: &str) -> Self {
        self.with(Json::object([("type", "audio".into()), ("data", base64(data).into()), ("mimeType", mime.into())]))
    }

    /// Adds a text with a URI, such as `note:today`.
    pub fn resource(self, uri: &str, mime: &str, text: &str) -> Self {
        let resource = Json::object([("uri", uri.into()), ("mimeType", mime.into()), ("text", text.into())]);
        self.with(Json::object([("type", "resource".into()), ("resource", resource)]))
    }

    /// Adds a file with a URI.
    pub fn file(self, uri: &str, mime: &str, data: &[u8]) -> Self {
        let resource = Json::object([("uri", uri.into()), ("mimeType", mime.into()), ("blob", base64(data).into())]);
        self.with(Json::object([("type", "resource".into()), ("resource", resource)]))
    }
}

impl From<ToolResult> for Vec<u8> {
    fn from(r: ToolResult) -> Self {
        let mut fields = vec![("content", Json::List(r.content)), ("is_error", Json::Bool(r.is_error))];
        if !r.title.is_empty() {
            fields.push(("title", r.title.into()));
        }
        for (name, value) in [("structured", r.structured), ("metadata", r.metadata)] {
            if value != Json::Null {
                fields.push((name, value));
            }
        }
        Json::object(fields).into()
    }
}

fn base64(data: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(data.len() / 3 * 4 + 4);
    for three in data.chunks(3) {
        let bits = three.iter().fold(0u32, |bits, byte| bits << 8 | u32::from(*byte)) << (8 * (3 - three.len()));
        for i in 0..4 {
            let digit = DIGITS[(bits >> (18 - 6 * i) & 63) as usize];
            text.push(if i <= three.len() { digit as char } else { '=' });
        }
    }
    text
}

/// A JSON value. Numbers stay as they are written. Objects keep the order of their members.
#[derive(Clone, Debug, PartialEq)]
pub enum Json {
    Null,
    Bool(bool),
    Number(String),
    String(String),
    List(Vec<Json>),
    Object(Vec<(String, Json)>),
}

impl Json {
    /// Parses one value, at most 200 levels deep. The error says where the text is wrong.
    pub fn parse(text: &str) -> Result<Json, String> {
        let mut parser = Parser { text, at: 0 };
        match parser.value(200) {
            Some(value) if parser.skip_space() == text.len() => Ok(value),
            _ => Err(format!("invalid JSON, or more than 200 levels of it, at byte {}", parser.at)),
        }
    }

    pub fn object<N: Into<String>>(members: impl IntoIterator<Item = (N, Json)>) -> Json {
        Json::Object(members.into_iter().map(|(name, value)| (name.into(), value)).collect())
    }

    /// Returns a member of an object, or `Json::Null`.
    pub fn get(&self, name: &str) -> &Json {
        match self {
            Json::Object(members) => members.iter().find(|m| m.0 == name).map_or(&Json::Null, |m| &m.1),
            _ => &Json::Null,
        }
    }

    /// Returns the elements of a list. Other values have none.
    pub fn list(&self) -> &[Json] {
        if let Json::List(elements) = self { elements } else { &[] }
    }

    pub fn as_str(&self) -> Option<&str> {
        if let Json::String(text) = self { Some(text) } else { None }
    }

    pub fn as_bool(&self) -> Option<bool> {
        if let Json::Bool(value) = self { Some(*value) } else { None }
    }

    pub fn as_f64(&self) -> Option<f64> {
        if let Json::Number(text) = self { text.parse().ok() } else { None }
    }

    /// Returns a whole number in any spelling, such as 5, 5.0 or 5e0. The last two are exact up to 2^53.
    pub fn as_i64(&self) -> Option<i64> {
        const EXACT: f64 = 9007199254740992.0;
        let number = if let Json::Number(text) = self { text } else { return None };
        let whole = self.as_f64().filter(|n| n.fract() == 0.0 && n.abs() <= EXACT).map(|n| n as i64);
        number.parse().ok().or(whole.filter(|_| number.contains(['.', 'e', 'E'])))
    }
}

impl From<&str> for Json {
    fn from(text: &str) -> Json {
        Json::String(text.into())
    }
}

impl From<String> for Json {
    fn from(text: String) -> Json {
        Json::String(text)
    }
}

impl From<i64> for Json {
    fn from(number: i64) -> Json {
        Json::Number(number.to_string())
    }
}

impl From<Json> for Vec<u8> {
    fn from(value: Json) -> Self {
        value.to_string().into_bytes()
    }
}

impl fmt::Display for Json {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let comma = |i: usize| if i > 0 { "," } else { "" };
        match self {
            Json::Null => f.write_str("null"),
            Json::Bool(value) => write!(f, "{value}"),
            Json::Number(text) => f.write_str(text),
            Json::String(text) => write_string(f, text),
            Json::List(elements) => {
                f.write_str("[")?;
                for (i, element) in elements.iter().enumerate() {
                    write!(f, "{}{element}", comma(i))?;
                }
                f.write_str("]")
            }
            Json::Object(members) => {
                f.write_str("{")?;
                for (i, (name, value)) in members.iter().enumerate() {
                    f.write_str(comma(i))?;
                    write_string(f, name)?;
                    write!(f, ":{value}")?;
                }
                f.write_str("}")
            }
        }
    }
}

const ESCAPES: [(char, char); 7] =
    [('"', '"'), ('\\', '\\'), ('\u{8}', 'b'), ('\u{c}', 'f'), ('\n', 'n'), ('\r', 'r'), ('\t', 't')];

fn write_string(f: &mut fmt::Formatter, text: &str) -> fmt::Result {
    f.write_str("\"")?;
    let mut plain = 0; // the start of what is not written yet
    for (at, c) in text.char_indices().filter(|(_, c)| *c < ' ' || *c == '"' || *c == '\\') {
        f.write_str(&text[plain..at])?;
        plain = at + 1;
        match ESCAPES.iter().find(|e| e.0 == c) {
            Some(escape) => write!(f, "\\{}", escape.1)?,
            None => write!(f, "\\u{:04x}", c as u32)?,
        }
    }
    write!(f, "{}\"", &text[plain..])
}

fn is_number(text: &str) -> bool {
    let digits = |t: &str| !t.is_empty() && t.bytes().all(|b| b.is_ascii_digit());
    let text = text.strip_prefix('-').unwrap_or(text);
    let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, "0"));
    let exponent = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
    digits(whole) && (whole == "0" || !whole.starts_with('0')) && digits(fraction) && digits(exponent)
}

struct Parser<'a> {
    text: &'a str,
    at: usize,
}

impl Parser<'_> {
    fn skip_space(&mut self) -> usize {
        let rest = self.text[self.at..].trim_start_matches([' ', '\t', '\n', '\r']);
        self.at = self.text.len() - rest.len();
        self.at
    }

    /// Consumes the wanted text, after any space.
    fn skip(&mut self, wanted: &str) -> bool {
        self.skip_space();
        let found = self.text[self.at..].starts_with(wanted);
        self.at += if found { wanted.len() } else { 0 };
        found
    }

    fn value(&mut self, depth: usize) -> Option<Json> {
        let depth = depth.checked_sub(1)?;
        if self.skip("{") {
            let member = |p: &mut Self| Some((p.string()?, p.skip(":").then_some(())?, p.value(depth)?));
            let members = self.until("}", member)?;
            return Some(Json::Object(members.into_iter().map(|(name, _, value)| (name, value)).collect()));
        } else if self.skip("[") {
            return self.until("]", |p| p.value(depth)).map(Json::List);
        } else if self.text[self.at..].starts_with('"') {
            return self.string().map(Json::String);
        }
        for (word, value) in [("null", Json::Null), ("true", Json::Bool(true)), ("false", Json::Bool(false))] {
            if self.skip(word) {
                return Some(value);
            }
        }
        let rest = &self.text[self.at..];
        let size = rest.find(|c: char| !c.is_ascii_digit() && !"+-.eE".contains(c)).unwrap_or(rest.len());
        let number = &rest[..size];
        self.at += size;
        is_number(number).then(|| Json::Number(number.into()))
    }

    /// Reads parts with commas between them up to the end.
    fn until<T>(&mut self, end: &str, mut part: impl FnMut(&mut Self) -> Option<T>) -> Option<Vec<T>> {
        let mut parts = Vec::new();
        if self.skip(end) {
            return Some(parts);
        }
        loop {
            parts.push(part(self)?);
            if self.skip(end) {
                return Some(parts);
            }
            self.skip(",").then_some(())?;
        }
    }

    /// Reads a string as UTF-16, because other characters are escaped as two halves.
    fn string(&mut self) -> Option<String> {
        self.skip("\"").then_some(())?;
        let mut units = Vec::new();
        let mut chars = self.text[self.at..].char_indices();
        while let Some((at, c)) = chars.next() {
            if c == '"' {
                self.at += at + 1;
                return Some(String::from_utf16_lossy(&units));
            } else if c < ' ' {
                return None;
            } else if c != '\\' {
                units.extend_from_slice(c.encode_utf16(&mut [0; 2]));
                continue;
            }
            let (at, escape) = chars.next()?;
            let known = ESCAPES.iter().find(|e| e.1 == escape).map(|e| e.0 as u16);
            units.push(match (known, escape) {
                (Some(unit), _) => unit,
                (None, '/') => '/' as u16,
                (None, 'u') => {
                    let digits = self.text[self.at..].get(at + 1..at + 5)?;
                    digits.bytes().all(|b| b.is_ascii_hexdigit()).then_some(())?; // and no sign
                    chars.nth(3);
                    u16::from_str_radix(digits, 16).ok()?
                }
                _ => return None,
            });
        }
        None
    }
}

#[link(wasm_import_module = "wasmtool_v1")]
extern "C" {
    fn input_len() -> usize;
    fn input_read(to: *mut u8, len: usize) -> usize;
    fn output_write(bytes: *const u8, len: usize) -> i32;
    fn error_write(bytes: *const u8, len: usize) -> i32;
    #[link_name = "log"]
    fn host_log(level: i32, line: *const u8, len: usize) -> i32;
    #[link_name = "progress"]
    fn host_progress(done: f64, total: f64, message: *const u8, len: usize) -> i32;
    #[link_name = "update"]
    fn host_update(update: *const u8, len: usize) -> i32;
    fn context_read(to: *mut u8, len: usize) -> i32;
    #[link_name = "cancelled"]
    fn host_cancelled() -> i32;
    #[link_name = "sha256"]
    fn host_sha256(data: *const u8, len: usize, to: *mut u8, to_len: usize) -> i32;
    fn http_request(head: *const u8, head_len: usize, body: *const u8, body_len: usize) -> i32;
    fn http_head(handle: i32, to: *mut u8, len: usize) -> i32;
    fn http_read(handle: i32, to: *mut u8, len: usize) -> i32;
    fn http_close(handle: i32) -> i32;
    #[link_name = "secret_exists"]
    fn host_secret_exists(name: *const u8, len: usize) -> i32;
    fn kv_get(key: *const u8, key_len: usize, to: *mut u8, len: usize) -> i32;
    fn kv_put(key: *const u8, key_len: usize, value: *const u8, len: usize) -> i32;
    fn kv_delete(key: *const u8, key_len: usize) -> i32;
    fn kv_swap(key: *const u8, key_len: usize, old: *const u8, old_len: usize, value: *const u8, len: usize) -> i32;
    fn kv_list(prefix: *const u8, prefix_len: usize, after: *const u8, after_len: usize, to: *mut u8, len: usize) -> i32;
    #[link_name = "tool_call"]
    fn host_tool_call(name: *const u8, name_len: usize, arguments: *const u8, len: usize) -> i32;
    fn tool_result(to: *mut u8, len: usize) -> i32;
    fn fault_read(to: *mut u8, len: usize) -> usize;
    fn files_replace(path: *const u8, path_len: usize, seen: *const u8, seen_len: usize, content: *const u8, len: usize) -> i32;
}
