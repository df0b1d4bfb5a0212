// The tool gets its arguments as a JSON object, and returns the result. wasmtool.rs has http, kv, log,
// progress and more.
mod wasmtool;

#[no_mangle]
pub extern "C" fn call() -> i32 {
    wasmtool::call(count)
}

/// An error is a message for the model.
fn count(input: &str) -> Result<String, String> {
    let arguments = wasmtool::Json::parse(input)?;
    let text = arguments.get("text").as_str().ok_or("text: give a string")?;
    match text.split_whitespace().count() {
        0 => Err("the text has no words".into()),
        words => Ok(words.to_string()),
    }
}
