// Package stricttoml reads TOML files that people write for a program. A key that the format does
// not list is an error. All errors of a file are reported together, each with its line and column,
// the problem, and the text to write instead. The package knows TOML and the shapes of values; the
// caller lists the keys and says what they mean.
//
// The language is [TOML 1.1]. BurntSushi/toml decodes the values. Before this library, the indexer
// of this package reads the file. It finds where each key and value begins and ends. It limits the
// number of keys, their length and their depth, and refuses tables that are defined twice. A file
// is refused when the index and the library do not list exactly the same keys, elements and types.
// Numbers keep the digits of the file.
//
// The tests read the whole of toml-test for TOML 1.1. The one difference is an offset of 60 minutes
// in a time, which the library accepts. No format of this project has a date.
//
// [TOML 1.1]: https://toml.io/en/v1.1.0
package stricttoml
