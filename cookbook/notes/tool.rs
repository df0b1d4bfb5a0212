// notes keeps notes in the tool's own store.
#[path = "../../sdk/rust/src/lib.rs"] // 'wasmtool new --abi reactor' copies it next to the source
mod wasmtool;

use std::error::Error;
use std::time::{SystemTime, UNIX_EPOCH};

use wasmtool::{kv, Json};

#[no_mangle]
pub extern "C" fn call() -> i32 {
    wasmtool::call(notes)
}

fn notes(input: &str) -> Result<String, Box<dyn Error>> {
    let arguments = Json::parse(input)?;
    let text = arguments.get("text").as_str();
    match arguments.get("action").as_str() {
        Some("add") => add(text.ok_or("text: give the note to add")?),
        Some("list") => list(text.unwrap_or_default()),
        Some("remove") => remove(arguments.get("number").as_i64().ok_or("number: give the note to remove")?),
        _ => Err("action: give add, list or remove".into()),
    }
}

// A key has all digits of a number, so that keys sort like numbers.
fn key(number: i64) -> String {
    format!("note/{number:06}")
}

fn add(text: &str) -> Result<String, Box<dyn Error>> {
    // Another call may add a note at the same time. Only one of them gets the next number.
    loop {
        let last = kv::get("last")?;
        let number = match &last {
            Some(bytes) => std::str::from_utf8(bytes)?.parse::<i64>()? + 1,
            None => 1,
        };
        if number > 999_999 {
            return Err("there are no more numbers for notes".into());
        }
        if kv::swap("last", last.as_deref(), Some(number.to_string().as_bytes()))? {
            kv::put(&key(number), format!("{} {text}", today()?).as_bytes())?;
            return Ok(number.to_string());
        }
    }
}

fn list(text: &str) -> Result<String, Box<dyn Error>> {
    let wanted = text.to_lowercase();
    let (mut found, mut after) = (Vec::new(), String::new());
    loop {
        let keys = kv::list("note/", &after)?; // up to 1000 at a time
        for key in &keys {
            let note = String::from_utf8(kv::get(key)?.unwrap_or_default())?;
            if note.to_lowercase().contains(&wanted) {
                found.push(format!("{}: {note}", key["note/".len()..].trim_start_matches('0')));
            }
        }
        match keys.last() {
            Some(last) => after = last.clone(),
            None => break,
        }
    }
    found.reverse();
    Ok(if found.is_empty() { "There are no such notes.".into() } else { found.join("\n") })
}

fn remove(number: i64) -> Result<String, Box<dyn Error>> {
    let key = key(number);
    if kv::get(&key)?.is_none() {
        return Err(format!("there is no note {number}; list shows the numbers").into());
    }
    kv::delete(&key)?;
    Ok(format!("Note {number} is removed."))
}

/// Returns the day in UTC, such as 2026-01-31.
fn today() -> Result<String, Box<dyn Error>> {
    let mut days = SystemTime::now().duration_since(UNIX_EPOCH)?.as_secs() / 86_400;
    let leap = |year: u64| (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    let mut year = 1970;
    while days >= 365 + leap(year) as u64 {
        days -= 365 + leap(year) as u64;
        year += 1;
    }
    let mut month = 0;
    let lengths = [31, 28 + leap(year) as u64, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    while days >= lengths[month] {
        days -= lengths[month];
        month += 1;
    }
    Ok(format!("{year}-{:02}-{:02}", month + 1, days + 1))
}
