//! The job of every system under test, in Rust.

#[allow(dead_code)] // the tool from which it is taken also has integer arguments
#[path = "../../../guest-examples/slug/arguments.rs"]
mod arguments;

/// Takes `{"text": "..."}` and returns counts of the text as JSON, or an error message if there is
/// no text.
pub fn count(input: &str) -> Result<String, String> {
    let arguments = arguments::Arguments::parse(input).ok_or("the input is not a JSON object")?;
    let text = arguments.text("text").ok_or("text: missing")?.as_bytes();

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
