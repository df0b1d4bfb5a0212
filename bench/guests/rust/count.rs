//! The job that every system under test does, in Rust.

#[allow(dead_code)] // the tool it is from has integer arguments, too
#[path = "../../../guest-examples/slug/arguments.rs"]
mod arguments;

/// Takes `{"text": "..."}` and returns counts in that text as JSON, or a message when
/// there is no such text.
pub fn count(input: &str) -> Result<String, String> {
    let arguments = arguments::Arguments::parse(input).ok_or("the input is no JSON object")?;
    let text = arguments.text("text").ok_or("text: this is no text")?.as_bytes();

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
