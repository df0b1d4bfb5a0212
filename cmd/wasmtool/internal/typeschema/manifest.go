package typeschema

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/BurntSushi/toml"

	"github.com/wasmtool/wasmtool/internal/lazyregexp"
	"github.com/wasmtool/wasmtool/internal/stricttoml"
	"github.com/wasmtool/wasmtool/manifests"
)

// names are the tables of a manifest that have schemas.
var names = []string{"parameters", "result"}

// Step says how a manifest differs from the source, and what brings it in step.
type Step struct {
	// Differences are for a person. There are none if the manifest is in step.
	Differences []string
	// Files are the new contents of the manifest or of its parameters_file, by path in the
	// directory of the tool. Only files that change are there.
	Files map[string][]byte
}

// InStep compares the manifest in a directory with schemas. The manifest must be valid.
func (s Schemas) InStep(dir string) (Step, error) {
	text, err := os.ReadFile(filepath.Join(dir, manifests.FileName))
	if err != nil {
		return Step{}, err
	}
	var m map[string]any
	if err := toml.Unmarshal(text, &m); err != nil {
		return Step{}, err
	}
	step, tables := Step{Files: make(map[string][]byte)}, make(map[string]any)
	if file, ok := m["parameters_file"].(string); ok && s.Parameters != nil {
		if err := step.compareFile(dir, file, s.Parameters); err != nil {
			return Step{}, err
		}
		s.Parameters = nil
	}
	for _, name := range names {
		derived := s.Parameters
		if name == "result" {
			derived = s.Result
		}
		old, _ := m[name].(map[string]any)
		if derived == nil || name == "result" && old == nil && derived["type"] == nil {
			continue
		}
		merged, differences := compare(name, old, derived)
		if old == nil {
			differences = []string{name + ": is missing, and " + article(derived) + " in the source"}
		}
		step.Differences = append(step.Differences, differences...)
		if plain(merged) != plain(old) {
			tables[name] = merged
		}
	}
	if len(tables) > 0 {
		if step.Files[manifests.FileName], err = replaceTables(text, m, tables); err != nil {
			return Step{}, err
		}
	}
	return step, nil
}

// compareFile compares the schema in a file.
func (s *Step) compareFile(dir, file string, derived Schema) error {
	text, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(file)))
	if err != nil {
		return err
	}
	var old map[string]any
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	if err := d.Decode(&old); err != nil {
		return err
	}
	merged, differences := compare(file, old, derived)
	s.Differences = append(s.Differences, differences...)
	if plain(merged) != plain(old) {
		if text, err = json.MarshalIndent(merged, "", "  "); err != nil {
			return err
		}
		s.Files[file] = append(text, '\n')
	}
	return nil
}

// article returns the type of a schema with its article.
func article(s Schema) string {
	switch name, _ := s["type"].(string); name {
	case "array", "integer", "object":
		return "an " + name
	default:
		return "a " + name
	}
}

// plain returns the JSON of a value, to compare values whose Go types differ.
func plain(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		return ""
	}
	return string(text)
}

// header matches the line of a table's name, and the first part of the name.
var header = lazyregexp.New(`^\s*\[\[?\s*"?([A-Za-z0-9_-]+)`)

// replaceTables replaces tables of a manifest by their new values, and leaves everything else as it
// is, also comments.
func replaceTables(text []byte, m, tables map[string]any) ([]byte, error) {
	var out, skipped []byte
	done := make(map[string]bool)
	table := "" // the replaced table that the line is in
	for line := range bytes.Lines(text) {
		if found := header.Regexp().FindSubmatch(line); found != nil {
			name := string(found[1])
			if tables[name] == nil {
				name = ""
			}
			if name == "" && table != "" {
				out = append(out, skipped...) // comments above the next table
			}
			if table, skipped = name, nil; name != "" && !done[name] {
				done[name] = true
				fresh, err := tableText(name, tables[name])
				if err != nil {
					return nil, err
				}
				out = append(append(out, fresh...), '\n')
			}
		}
		switch content := bytes.TrimSpace(line); {
		case table == "":
			out = append(out, line...)
		case len(content) == 0 && skipped == nil:
		case len(content) == 0 || content[0] == '#':
			skipped = append(skipped, line...)
		default:
			skipped = nil
		}
	}
	for _, name := range names {
		if tables[name] == nil || done[name] {
			continue
		}
		fresh, err := tableText(name, tables[name])
		if err != nil {
			return nil, err
		}
		out = append(append(bytes.TrimRight(out, "\n"), "\n\n"...), fresh...)
	}
	return out, onlyChanges(out, m, tables)
}

// tableText returns a table as TOML, without the headers of tables that only contain tables.
func tableText(name string, value any) ([]byte, error) {
	text, err := stricttoml.Marshal(map[string]any{name: value})
	var out, before []byte // before is a header whose table may only contain tables
	for line := range bytes.Lines(bytes.TrimLeft(text, "\n")) {
		if !bytes.HasPrefix(line, []byte("[")) || !bytes.HasPrefix(line, slices.Concat(bytes.TrimSuffix(before, []byte("]\n")), []byte("."))) {
			out = append(out, before...)
		}
		if before = nil; bytes.HasPrefix(line, []byte("[")) {
			before = line
			continue
		}
		out = append(out, line...)
	}
	return append(out, before...), err
}

// onlyChanges reports an error if more than the tables has changed.
func onlyChanges(text []byte, m, tables map[string]any) error {
	var now map[string]any
	err := toml.Unmarshal(text, &now)
	want := make(map[string]any)
	for name, value := range m {
		want[name] = value
	}
	for name, value := range tables {
		want[name] = value
	}
	if err != nil || plain(now) != plain(want) {
		return fmt.Errorf("%s is written in a form that cannot be changed here; write [parameters] and [result] as tables of their own, or change them yourself", manifests.FileName)
	}
	return nil
}
