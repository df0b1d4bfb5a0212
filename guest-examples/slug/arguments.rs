//! Reads the arguments of a call: a JSON object without nested values, since this
//! tool's manifest allows no others. A tool with nested arguments should use serde_json.

use std::iter::Peekable;
use std::str::Chars;

pub struct Arguments(Vec<(String, Value)>);

enum Value {
    Text(String),
    Word(String), // a number, true, false or null, as written
}

impl Arguments {
    /// Returns None if the input is not such an object.
    pub fn parse(input: &str) -> Option<Arguments> {
        let mut reader = Reader(input.chars().peekable());
        let mut values = Vec::new();
        reader.skip('{').then_some(())?;
        if !reader.skip('}') {
            loop {
                let name = reader.string()?;
                reader.skip(':').then_some(())?;
                values.push((name, reader.value()?));
                if !reader.skip(',') {
                    break;
                }
            }
            reader.skip('}').then_some(())?;
        }
        Some(Arguments(values))
    }

    pub fn text(&self, name: &str) -> Option<&str> {
        match self.get(name)? {
            Value::Text(text) => Some(text),
            Value::Word(_) => None,
        }
    }

    /// The schema also accepts 5.0 as an integer, and a tool gets numbers as the caller
    /// wrote them.
    pub fn integer(&self, name: &str) -> Option<usize> {
        match self.get(name)? {
            Value::Text(_) => None,
            Value::Word(word) => word.strip_suffix(".0").unwrap_or(word).parse().ok(),
        }
    }

    fn get(&self, name: &str) -> Option<&Value> {
        self.0.iter().find(|(n, _)| n == name).map(|(_, value)| value)
    }
}

struct Reader<'a>(Peekable<Chars<'a>>);

impl Reader<'_> {
    /// Consumes the expected character, and any space before it.
    fn skip(&mut self, wanted: char) -> bool {
        while self.0.next_if(char::is_ascii_whitespace).is_some() {}
        self.0.next_if_eq(&wanted).is_some()
    }

    fn value(&mut self) -> Option<Value> {
        if let Some(text) = self.string() {
            return Some(Value::Text(text));
        }
        let mut word = String::new();
        while let Some(c) = self.0.next_if(|c| c.is_ascii_alphanumeric() || "+-.".contains(*c)) {
            word.push(c);
        }
        (!word.is_empty()).then(|| Value::Word(word))
    }

    /// Reads a string as UTF-16, because a character without a code of four digits is
    /// escaped as two surrogates.
    fn string(&mut self) -> Option<String> {
        self.skip('"').then_some(())?;
        let mut units = Vec::new();
        loop {
            let c = match self.0.next()? {
                '"' => return Some(String::from_utf16_lossy(&units)),
                '\\' => match self.0.next()? {
                    'u' => {
                        let digits: String = self.0.by_ref().take(4).collect();
                        units.push(u16::from_str_radix(&digits, 16).ok()?);
                        continue;
                    }
                    'b' => '\u{8}',
                    'f' => '\u{c}',
                    'n' => '\n',
                    'r' => '\r',
                    't' => '\t',
                    other => other,
                },
                other => other,
            };
            units.extend_from_slice(c.encode_utf16(&mut [0; 2]));
        }
    }
}
