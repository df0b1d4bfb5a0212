//! The tool itself, the same for both forms of the module.

use std::fs;

use crate::wasmtool::Json;

/// Runs the tool on its arguments, a JSON object. An error is a message for the
/// caller of the tool.
pub fn run(input: &str) -> Result<String, String> {
    let arguments = Json::parse(input)?;
    let text = headline(&arguments)?;
    let max_length = arguments.get("max_length").as_i64().ok_or("max_length: write a whole number, such as 80")?;

    let slug = slug(&text);
    if slug.is_empty() {
        return Err("text: it has no letter and no digit, so there is no slug".into());
    }
    Ok(shorten(&slug, max_length as usize).into())
}

/// Returns the text of the call: the argument text, or the first line of a file, whose
/// name is relative to the workspace.
fn headline(arguments: &Json) -> Result<String, String> {
    match (arguments.get("text").as_str(), arguments.get("file_path").as_str()) {
        (Some(text), None) => Ok(text.into()),
        (None, Some(path)) => {
            let file = fs::read_to_string(path).map_err(|err| format!("file_path: {path}: {err}"))?;
            Ok(file.lines().next().unwrap_or_default().into())
        }
        _ => Err("give either text or file_path".into()),
    }
}

/// Returns the words of the text in lower case, with a hyphen between them.
fn slug(text: &str) -> String {
    let mut slug = String::new();
    let mut gap = false;
    for c in text.to_lowercase().chars() {
        if is_part_of_word(c) {
            if gap && !slug.is_empty() {
                slug.push('-');
            }
            gap = false;
            slug.push(c);
        } else if c != '\'' && c != '’' {
            gap = true; // and "don't" becomes "dont"
        }
    }
    slug
}

/// The standard library knows letters and digits. The combining marks after a letter,
/// such as the accent of a decomposed é, are not letters, so they are listed here.
fn is_part_of_word(c: char) -> bool {
    c.is_alphanumeric() || ('\u{0300}'..='\u{036F}').contains(&c)
}

/// Cuts the slug to a number of characters, between words if possible.
fn shorten(slug: &str, max_length: usize) -> &str {
    match slug.char_indices().nth(max_length) {
        None => slug,
        Some((end, '-')) => &slug[..end],
        Some((end, _)) => &slug[..slug[..end].rfind('-').unwrap_or(end)],
    }
}
