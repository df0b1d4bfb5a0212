package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/wasmtool/wasmtool/internal/plainjson"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// maxInput limits the bytes that a flag reads. The registry refuses larger arguments anyway.
const maxInput = 16 << 20

// arguments merges --input and the KEY=VALUE pairs into one JSON object. Without pairs, the value
// of --input is returned unchanged, so that the strict parser sees what the caller wrote.
func (s Streams) arguments(cmd *cobra.Command, input string, pairs []string) ([]byte, error) {
	base, err := s.readInput(cmd, input)
	if err != nil {
		return nil, err
	}
	var members []string
	given := make(map[string]bool)
	for _, pair := range pairs {
		key, value, err := argument(pair)
		if err != nil {
			return nil, usage(cmd, err.Error())
		}
		if given[key] {
			return nil, usage(cmd, fmt.Sprintf("the argument %s is given twice; remove one", key))
		}
		given[key] = true
		name, _ := json.Marshal(key)
		members = append(members, string(name)+":"+value)
	}
	if len(members) == 0 {
		return base, nil
	}
	var inInput map[string]json.RawMessage
	if json.Unmarshal(base, &inInput) == nil {
		for _, key := range slices.Sorted(maps.Keys(given)) {
			if _, twice := inInput[key]; twice {
				return nil, usage(cmd, fmt.Sprintf("the argument %s is already in --input; remove one", key))
			}
		}
	}
	return join(base, members)
}

// join adds members to a JSON object.
func join(object []byte, members []string) ([]byte, error) {
	added := strings.Join(members, ",")
	object = bytes.TrimSpace(object)
	if len(object) == 0 {
		return []byte("{" + added + "}"), nil
	}
	inner, opens := bytes.CutPrefix(object, []byte("{"))
	inner, closes := bytes.CutSuffix(inner, []byte("}"))
	if !opens || !closes || !json.Valid(object) {
		return nil, &tool.Error{Code: tool.CodeInvalidArgument, Message: "--input must be a JSON object, because KEY=VALUE adds fields to it"}
	}
	if len(bytes.TrimSpace(inner)) > 0 {
		added = "," + added
	}
	return []byte("{" + string(inner) + added + "}"), nil
}

// argument splits KEY=VALUE or KEY:=JSON and returns the key and the value's JSON.
func argument(pair string) (key, value string, err error) {
	key, text, ok := strings.Cut(pair, "=")
	if !ok || key == "" || key == ":" {
		return "", "", fmt.Errorf("%s is not an argument; write KEY=VALUE or KEY:=JSON", quote(pair))
	}
	if !utf8.ValidString(pair) {
		return "", "", fmt.Errorf("%s is not valid UTF-8", quote(pair))
	}
	if raw, isJSON := strings.CutSuffix(key, ":"); isJSON {
		if !json.Valid([]byte(text)) {
			return "", "", fmt.Errorf("the value of %s is not JSON; to pass a string, write %s=%s", raw, raw, text)
		}
		return raw, text, nil
	}
	return key, string(plainjson.String(text)), nil
}

// readInput returns the JSON that --input names: the value itself, the content of @FILE, or
// standard input for "-".
func (s Streams) readInput(cmd *cobra.Command, input string) ([]byte, error) {
	file, isFile := strings.CutPrefix(input, "@")
	switch {
	case input == "-":
		return readAll(cmd, "--input", "standard input", s.In)
	case isFile:
		f, err := os.Open(file)
		if err != nil {
			return nil, usage(cmd, fmt.Sprintf("--input: %v", err))
		}
		defer f.Close()
		return readAll(cmd, "--input", file, f)
	}
	return []byte(input), nil
}

func readAll(cmd *cobra.Command, flag, name string, r io.Reader) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(r, maxInput+1))
	if err != nil {
		return nil, usage(cmd, fmt.Sprintf("%s: read %s: %v", flag, name, err))
	}
	if len(data) > maxInput {
		return nil, usage(cmd, fmt.Sprintf("%s: %s is larger than %s", flag, name, byteCount(maxInput)))
	}
	return data, nil
}
