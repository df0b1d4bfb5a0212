//! The program for the tests of the SDK in Rust: it does one thing with the SDK for each call, and
//! says what came of it. guest/internal/protocol is the same in Go.

use wasmtool::{files, kv, Error, Json, Level, Request, ToolResult};

const BINARY: &[u8] = b"\xff\0A\xc3("; // not UTF-8, and with NUL

struct Input(Json);

impl Input {
    fn text(&self, name: &str) -> &str {
        self.0.get(name).as_str().unwrap_or("")
    }

    fn optional(&self, name: &str) -> Option<&[u8]> {
        self.0.get(name).as_str().map(str::as_bytes)
    }

    fn is(&self, name: &str) -> bool {
        self.0.get(name).as_bool() == Some(true)
    }

    fn n(&self) -> i64 {
        self.0.get("n").as_i64().unwrap_or(0)
    }

    fn repeated(&self) -> String {
        "x".repeat(self.n() as usize)
    }
}

/// Runs the program.
pub fn run(input: &str) -> Result<Vec<u8>, String> {
    let input = Input(Json::parse(input)?);
    match wasmtool::context().get("tool").as_str() {
        Some("quote") => Ok(Json::object([("text", input.text("text").into()), ("n", input.n().into())]).into()),
        Some("blocks") => Ok(blocks(&input).into()),
        _ => act(&input).map(String::into_bytes),
    }
}

fn blocks(input: &Input) -> ToolResult {
    if input.text("do") == "fail" {
        return ToolResult::failure(input.text("text"));
    }
    let result = ToolResult::default()
        .text(input.text("text"))
        .text(&String::from_utf8_lossy(BINARY))
        .image(b"GIF89a\x01\0\x01\0\0\0\0;", "image/gif")
        .audio(b"RIFF\x04\0\0\0WAVE", "audio/wav")
        .resource("note:a", "text/plain", input.text("text"))
        .file("note:b", "application/x-b", BINARY);
    ToolResult {
        structured: Json::object([("n", input.n().into())]),
        title: "A title".into(),
        metadata: Json::object([("m", Json::List(vec![1.into()]))]),
        ..result
    }
}

fn act(input: &Input) -> Result<String, String> {
    let what = input.text("do");
    let done = match what {
        "echo" => return Ok(input.text("text").into()),
        "fail" => return Err(input.text("text").into()),
        "kv_put_many" | "http_many" | "http_open_many" => return Ok(many(input)),
        _ if what.starts_with("kv_") => store(input),
        _ if what.starts_with("http") => request(input),
        _ if what.starts_with("file_") => file(input),
        _ => about(input)?,
    };
    Ok(match done {
        Ok(value) => format!("ok {value}"),
        Err(error) => explain(&error),
    })
}

fn explain(error: &Error) -> String {
    assert!((-6..0).contains(&error.code));
    format!("error {} sent={} {}", error.kind, error.sent, error.message)
}

/// Does an action several times.
fn many(input: &Input) -> String {
    let mut open = Vec::new();
    for done in 0..input.n() {
        let outcome = match input.text("do") {
            "kv_put_many" => kv::put(&format!("{}{done:03}", input.text("key")), b"v"),
            "http_many" => ask(input).send().map(drop),
            _ => ask(input).send().map(|response| open.push(response)),
        };
        if let Err(error) = outcome {
            return format!("{done} and {}", explain(&error));
        }
    }
    "ok all".into()
}

fn about(input: &Input) -> Result<Result<String, Error>, String> {
    let text = input.text("text");
    let nothing = |outcome: Result<(), Error>| outcome.map(|_| String::new());
    Ok(match input.text("do") {
        "log" => {
            let levels = [Level::Debug, Level::Info, Level::Warn, Level::Error];
            wasmtool::log(levels[input.n() as usize], text);
            Ok(String::new())
        }
        "progress" => {
            wasmtool::progress(input.n() as f64, input.0.get("total").as_f64().unwrap_or(0.0), text);
            Ok(String::new())
        }
        "update" => nothing(wasmtool::update(text, Json::parse(input.text("json")).unwrap_or(Json::Null))),
        "update_long" => nothing(wasmtool::update(&input.repeated(), Json::Null)),
        "partial" => nothing(wasmtool::partial(text)),
        "partial_often" => nothing((0..input.n()).try_for_each(|_| wasmtool::partial(text))),
        "secret" => Ok(wasmtool::secret_exists(input.text("key")).to_string()),
        "sha256" => Ok(sum(text.repeat(input.n().max(1) as usize).as_bytes())),
        "cancelled" => {
            wasmtool::cancelled();
            Ok(String::new())
        }
        "context" => Ok(context()),
        "call" => call(input),
        "peek" => {
            let value = Json::parse(text).map(|value| (value.as_i64(), value.as_f64(), value.to_string()));
            Ok(if value.is_ok() { "JSON" } else { "" }.into())
        }
        other => return Err(format!("the argument do is {other:?}, which is not an action of this tool")),
    })
}

fn context() -> String {
    let c = wasmtool::context();
    let text = |v: &Json, name: &str| v.get(name).as_str().unwrap_or("").to_string();
    let mut words: Vec<String> = ["tool", "call_id", "session", "message", "idempotency_key", "working_directory"].map(|name| text(&c, name)).into();
    words.extend(c.get("mounts").list().iter().map(|m| format!("{}:{}", text(m, "path"), text(m, "mode"))));
    words.push(format!("settings {} tools", text(c.get("settings"), "engine")));
    words.extend(c.get("tools").list().iter().map(|name| name.as_str().unwrap_or("").to_string()));
    words.join(" ")
}

fn call(input: &Input) -> Result<String, Error> {
    let arguments = Json::parse(input.text("json")).unwrap_or(Json::Null);
    let result = wasmtool::tool_call(input.text("key"), &arguments)?;
    let texts: Vec<&str> = result.get("content").list().iter().filter_map(|block| block.get("text").as_str()).collect();
    Ok(match result.get("structured") {
        Json::Null => texts.join("\n"),
        structured => format!("{} {structured}", texts.join("\n")),
    })
}

fn store(input: &Input) -> Result<String, Error> {
    let key = input.text("key");
    Ok(match input.text("do") {
        "kv_get" => kv::get(key)?.map_or("absent".into(), |value| show(input, &value)),
        "kv_swap" => kv::swap(key, input.optional("old"), input.optional("value"))?.to_string(),
        "kv_list" => kv::list(key, input.text("after"))?.join(" "),
        what => {
            match what {
                "kv_put" => kv::put(key, input.text("text").as_bytes())?,
                "kv_put_binary" => kv::put(key, BINARY)?,
                "kv_put_long" => kv::put(key, input.repeated().as_bytes())?,
                _ => kv::delete(key)?,
            }
            String::new()
        }
    })
}

fn ask(input: &Input) -> Request {
    let body = if input.text("do") == "http_long" { input.repeated() } else { input.text("text").into() };
    Request {
        method: input.text("method").into(),
        url: input.text("url").into(),
        headers: input.text("header").split_once(": ").map(|(name, value)| (name.into(), value.into())).into_iter().collect(),
        body: body.into(),
        manual: input.is("manual"),
    }
}

fn request(input: &Input) -> Result<String, Error> {
    let mut response = ask(input).send()?;
    let body = response.body()?;
    let url = response.head.get("url").as_str().unwrap_or("");
    let answer = response.header("x-answer").unwrap_or("");
    Ok(format!("{} {url} answer={answer} body={}", response.status, show(input, &body)))
}

fn file(input: &Input) -> Result<String, Error> {
    if input.text("do") == "file_replace" {
        return match files::replace(input.text("key"), input.text("text").as_bytes(), None) {
            Err(error) if error.code > 0 => Ok("refused".into()),
            done => done.map(|_| String::new()),
        };
    }
    Ok(std::fs::read(input.text("key")).map_or("refused".into(), |content| show(input, &content)))
}

fn hex(data: &[u8]) -> String {
    data.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn sum(data: &[u8]) -> String {
    wasmtool::sha256(data).map_or("too large".into(), |digest| hex(&digest))
}

/// Returns bytes in a form that a transcript can have.
fn show(input: &Input, data: &[u8]) -> String {
    if data.len() > 500 {
        return format!("{} bytes {}", data.len(), sum(data));
    }
    if input.is("hex") { hex(data) } else { Json::from(String::from_utf8_lossy(data).into_owned()).to_string() }
}
