package stricttoml

import (
	"bytes"

	"github.com/BurntSushi/toml"
)

// Marshal returns the TOML of a value, with the struct tags of the library, and without
// indentation.
func Marshal(v any) ([]byte, error) {
	var text bytes.Buffer
	encoder := toml.NewEncoder(&text)
	encoder.Indent = ""
	err := encoder.Encode(v)
	return text.Bytes(), err
}
