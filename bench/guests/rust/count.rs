//! The job of every system under test, in Rust.

use crate::wasmtool::Json;

/// Takes `{"text": "..."}` and returns counts of the text as JSON, or an error message if there is
/// no text.
pub fn count(input: &str) -> Result<String, String> {
    let arguments = Json::parse(input)?;
    let text = arguments.get("text").as_str().ok_or("text: missing")?.as_bytes();

    let (mut lines, mut words, mut letters, mut word, mut longest) = (0, 0, 0, 0, 0);
    for (i, &byte) in text.iter().enumerate() {
        lines += usize::from(i == 0 || text[i - 1] == b'\n');
        letters += usize::from(byte.is_ascii_alphabetic());
        if matches!(byte, b' ' | b'\t'..=b'\r') {
            word = 0;
            continue;
        }
        words += usize::from(word == 0);
        word += 1;
        longest = longest.max(word);
    }
    let bytes = text.len();
    Ok(format!(
        r#"{{"lines":{lines},"words":{words},"bytes":{bytes},"letters":{letters},"longest":{longest}}}"#
    ))
}
