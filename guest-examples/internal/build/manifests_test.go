package main

import (
	"bytes"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pelletier/go-toml/v2"
	"github.com/wasmtool/wasmtool/guest-examples/array"
	"github.com/wasmtool/wasmtool/guest-examples/calculator"
	"github.com/wasmtool/wasmtool/guest-examples/datetime"
	"github.com/wasmtool/wasmtool/guest-examples/diff"
	"github.com/wasmtool/wasmtool/guest-examples/edit"
	"github.com/wasmtool/wasmtool/guest-examples/glob"
	"github.com/wasmtool/wasmtool/guest-examples/grep"
	"github.com/wasmtool/wasmtool/guest-examples/hash"
	"github.com/wasmtool/wasmtool/guest-examples/internal/jsonvalue"
	"github.com/wasmtool/wasmtool/guest-examples/object"
	"github.com/wasmtool/wasmtool/guest-examples/read"
	stringtool "github.com/wasmtool/wasmtool/guest-examples/string"
	writetool "github.com/wasmtool/wasmtool/guest-examples/write"
)

// root is the folder guest-examples.
const root = "../.."

// manifest has the keys that the manifests of this folder use.
type manifest struct {
	Manifest                                    int
	Name, Version, Title, Description, Category string
	Tags                                        []string
	Timeout, Changes                            string
	Module                                      struct {
		Path   string
		SHA256 string `toml:"sha256"`
		Args   []string
	}
	Limits      struct{ Memory, Output string }
	Permissions struct {
		Clock bool
		FS    []struct {
			Mount, Mode string
			Deny        []string
		} `toml:"fs"`
	}
	Parameters struct {
		Type       string
		Required   []string
		Properties map[string]property
	}
	Examples []map[string]any // those who read manifests check them
}

type property struct {
	Type, Description                      string
	Default                                any
	Items                                  map[string]any
	Enum                                   []string
	Minimum, Maximum, MinLength, MaxLength *int64
}

// args holds the arguments of each tool.
var args = map[string]any{
	"array":      array.Args{},
	"calculator": calculator.Args{},
	"datetime":   datetime.Args{},
	"diff":       diff.Args{},
	"edit":       edit.Args{},
	"glob":       glob.Args{},
	"grep":       grep.Args{},
	"hash":       hash.Args{},
	"object":     object.Args{},
	"read":       read.Args{},
	"string":     stringtool.Args{},
	"write":      writetool.Args{},
}

func load(t *testing.T, tool string) manifest {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(root, tool, "tool.toml"))
	if err != nil {
		t.Fatal(err)
	}
	var m manifest
	decoder := toml.NewDecoder(bytes.NewReader(content))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&m); err != nil {
		t.Fatal(err)
	}
	return m
}

func TestManifests_areAllKnown(t *testing.T) {
	found, err := builtinManifests(root)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := slices.Sorted(maps.Keys(found)), slices.Sorted(maps.Keys(args)); !slices.Equal(got, want) {
		t.Errorf("found %q, want %q", got, want)
	}
}

func TestManifests(t *testing.T) {
	for tool, want := range args {
		t.Run(tool, func(t *testing.T) {
			m := load(t, tool)
			if m.Manifest != 1 || m.Name != tool || m.Version == "" || m.Title == "" || m.Category == "" || len(m.Tags) == 0 {
				t.Errorf("the head is not complete: %+v", m)
			}
			if len(m.Description) < 100 || strings.Contains(strings.TrimSpace(m.Description), "\n") {
				t.Errorf("the description is to be one paragraph of some length: %q", m.Description)
			}
			if timeout, err := time.ParseDuration(m.Timeout); err != nil || timeout <= 0 || timeout > time.Minute {
				t.Errorf("the timeout is %q", m.Timeout)
			}
			if !slices.Equal(m.Module.Args, []string{tool}) {
				t.Errorf("the module gets %q, want the name of the tool", m.Module.Args)
			}
			if changed := strings.Trim(m.Changes, "{}"); changed != "" {
				if _, ok := m.Parameters.Properties[changed]; !ok || m.Permissions.FS[0].Mode != "write" {
					t.Errorf("changes = %q names no parameter of a tool that writes", m.Changes)
				}
			}
			if m.Parameters.Type != "object" {
				t.Errorf("the parameters are of type %q", m.Parameters.Type)
			}
			checkProperties(t, m, reflect.TypeOf(want))
		})
	}
}

// checkProperties compares the declared parameters with the fields of the
// arguments.
func checkProperties(t *testing.T, m manifest, fields reflect.Type) {
	kinds := map[reflect.Kind]string{reflect.String: "string", reflect.Int64: "integer", reflect.Bool: "boolean", reflect.Slice: "array"}
	for i := range fields.NumField() {
		field := fields.Field(i)
		name := field.Tag.Get("json")
		p, ok := m.Parameters.Properties[name]
		if !ok {
			t.Errorf("%s is not declared", name)
			continue
		}
		kind := field.Type
		if kind.Kind() == reflect.Pointer { // what may be left out
			kind = kind.Elem()
		}
		if want := kinds[kind.Kind()]; p.Type != want && kind != reflect.TypeFor[jsonvalue.Value]() {
			t.Errorf("%s has the type %q, want %q", name, p.Type, want)
		}
		if p.Description == "" {
			t.Errorf("%s lacks a description", name)
		}
		if p.Default == nil {
			continue
		}
		value := reflect.New(field.Type)
		text, err := json.Marshal(p.Default)
		if err == nil {
			err = json.Unmarshal(text, value.Interface())
		}
		if err != nil {
			t.Errorf("the default of %s is no value of it: %v", name, err)
		}
		if slices.Contains(m.Parameters.Required, name) {
			t.Errorf("%s is required and has a default", name)
		}
	}
	if len(m.Parameters.Properties) != fields.NumField() {
		t.Errorf("%d parameters are declared, and there are %d arguments", len(m.Parameters.Properties), fields.NumField())
	}
	for _, name := range m.Parameters.Required {
		if _, ok := m.Parameters.Properties[name]; !ok {
			t.Errorf("%s is required and not declared", name)
		}
	}
}

// A call that leaves a parameter out must do the same through the host, which
// puts the default in, and without it.
func TestManifests_defaultsAreThoseOfTheTools(t *testing.T) {
	for _, test := range []struct {
		tool, parameter string
		want            any
	}{
		{"read", "offset", int64(1)},
		{"read", "limit", int64(read.DefaultLimit)},
		{"grep", "path", "."},
		{"grep", "glob", ""},
		{"grep", "output_mode", string(grep.Content)},
		{"grep", "max_results", int64(grep.DefaultMaxResults)},
		{"glob", "path", "."},
		{"glob", "limit", int64(glob.DefaultLimit)},
		{"datetime", "operation", string(datetime.Now)},
		{"edit", "replace_all", false},
		{"hash", "algorithm", string(hash.SHA256)},
		{"diff", "context", int64(diff.DefaultContext)},
	} {
		if got := load(t, test.tool).Parameters.Properties[test.parameter].Default; got != test.want {
			t.Errorf("%s of %s has the default %v, want %v", test.parameter, test.tool, got, test.want)
		}
	}
	if got := load(t, "calculator").Parameters.Properties["expression"].MaxLength; got == nil || *got != calculator.MaxLength {
		t.Errorf("the longest expression differs from %d", calculator.MaxLength)
	}
}

func TestManifests_operations(t *testing.T) {
	for tool, want := range map[string][]string{
		"array":  array.Operations(),
		"object": object.Operations(),
		"string": stringtool.Operations(),
	} {
		if got := load(t, tool).Parameters.Properties["operation"].Enum; !slices.Equal(got, want) {
			t.Errorf("%s declares the operations %q, and has %q", tool, got, want)
		}
	}
}

func TestManifests_algorithms(t *testing.T) {
	if got, want := load(t, "hash").Parameters.Properties["algorithm"].Enum, hash.Algorithms(); !slices.Equal(got, want) {
		t.Errorf("hash declares the algorithms %q, and has %q", got, want)
	}
}

func TestManifests_permissions(t *testing.T) {
	// What may write must not plant a hook for git.
	const writing = "write **/.git/**"
	modes := map[string]string{"read": "read", "grep": "read", "diff": "read", "glob": "read", "hash": "read", "write": writing, "edit": writing}
	for tool := range args {
		m := load(t, tool)
		var got []string
		for _, mount := range m.Permissions.FS {
			got = append(got, strings.Join(append([]string{mount.Mount, mount.Mode}, mount.Deny...), " "))
		}
		var want []string
		if modes[tool] != "" {
			want = []string{"workspace " + modes[tool]}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s asks for %q, want %q", tool, got, want)
		}
		if m.Permissions.Clock != (tool == "datetime") {
			t.Errorf("%s asks for the clock: %v", tool, m.Permissions.Clock)
		}
	}
}
