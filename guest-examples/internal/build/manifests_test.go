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
	"github.com/wasmtool/wasmtool/guest-examples/internal/jsonvalue"
	"github.com/wasmtool/wasmtool/guest-examples/shell/bash"
	applypatch "github.com/wasmtool/wasmtool/guest-examples/tools/apply_patch"
	"github.com/wasmtool/wasmtool/guest-examples/tools/array"
	"github.com/wasmtool/wasmtool/guest-examples/tools/calculator"
	"github.com/wasmtool/wasmtool/guest-examples/tools/convert"
	"github.com/wasmtool/wasmtool/guest-examples/tools/datetime"
	"github.com/wasmtool/wasmtool/guest-examples/tools/diff"
	"github.com/wasmtool/wasmtool/guest-examples/tools/edit"
	githubsearch "github.com/wasmtool/wasmtool/guest-examples/tools/github_search"
	"github.com/wasmtool/wasmtool/guest-examples/tools/glob"
	"github.com/wasmtool/wasmtool/guest-examples/tools/grep"
	"github.com/wasmtool/wasmtool/guest-examples/tools/hash"
	jsontool "github.com/wasmtool/wasmtool/guest-examples/tools/json"
	"github.com/wasmtool/wasmtool/guest-examples/tools/list"
	"github.com/wasmtool/wasmtool/guest-examples/tools/markdown"
	multiedit "github.com/wasmtool/wasmtool/guest-examples/tools/multi_edit"
	"github.com/wasmtool/wasmtool/guest-examples/tools/object"
	"github.com/wasmtool/wasmtool/guest-examples/tools/read"
	"github.com/wasmtool/wasmtool/guest-examples/tools/skill"
	"github.com/wasmtool/wasmtool/guest-examples/tools/spec"
	stringtool "github.com/wasmtool/wasmtool/guest-examples/tools/string"
	"github.com/wasmtool/wasmtool/guest-examples/tools/todo"
	webfetch "github.com/wasmtool/wasmtool/guest-examples/tools/web_fetch"
	websearch "github.com/wasmtool/wasmtool/guest-examples/tools/web_search"
	writetool "github.com/wasmtool/wasmtool/guest-examples/tools/write"
)

// root is the directory guest-examples.
const root = "../.."

// manifest has the keys that the manifests below root use.
type manifest struct {
	Manifest                                    int
	Name, Version, Title, Description, Category string
	Tags, Aliases                               []string
	Timeout, Changes, Shell                     string
	Module                                      struct {
		Path   string
		SHA256 string `toml:"sha256"`
		Args   []string
		Output string
	}
	// The test does not check settings, requests and self-descriptions: the host checks them when
	// it reads a manifest.
	Settings map[string]any
	Describe map[string]any
	Limits   struct {
		Memory, Output string
		OpenFiles      int `toml:"open_files"`
		HTTPRequests   int `toml:"http_requests"`
	}
	Permissions struct {
		Clock, Random bool
		KV            string
		Net           []map[string]any
		FS            []struct {
			Mount, Mode string
			Others      bool
			Deny        []string
		} `toml:"fs"`
	}
	Parameters schema
	Result     map[string]any
	Examples   []map[string]any // not checked here, because the host checks them
}

// schema is the schema of an object.
type schema struct {
	Type       string
	Required   []string
	Properties map[string]property
}

type property struct {
	Type, Description                      string
	Default                                any
	Enum                                   []string
	Aliases                                []string `toml:"x-aliases"`
	Path                                   string   `toml:"x-path"`
	Minimum, Maximum, MinLength, MaxLength *int64

	MinItems, MaxItems *int64
	Items              *schema
}

// args has, for each tool, the zero value of the Go type of its arguments.
var args = map[string]any{
	"apply_patch":   applypatch.Args{},
	"array":         array.Args{},
	"bash":          bash.Args{},
	"calculator":    calculator.Args{},
	"convert":       convert.Args{},
	"datetime":      datetime.Args{},
	"diff":          diff.Args{},
	"edit":          edit.Args{},
	"github_search": githubsearch.Args{},
	"glob":          glob.Args{},
	"grep":          grep.Args{},
	"hash":          hash.Args{},
	"json":          jsontool.Args{},
	"list":          list.Args{},
	"markdown":      markdown.Args{},
	"multi_edit":    multiedit.Args{},
	"object":        object.Args{},
	"read":          read.Args{},
	"skill":         skill.Args{},
	"spec":          spec.Args{},
	"string":        stringtool.Args{},
	"todo":          todo.Args{},
	"web_fetch":     webfetch.Args{},
	"web_search":    websearch.Args{},
	"write":         writetool.Args{},
}

func load(t *testing.T, tool string) manifest {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(root, toolsDir, tool, "tool.toml"))
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

// Models and documents know the tools and their parameters under these names as well.
func TestManifests_haveTheUsualAliases(t *testing.T) {
	for tool, want := range map[string][]string{
		"apply_patch": {"apply-patch"}, "bash": {"exec"}, "github_search": {"github-search"},
		"web_fetch": {"webfetch"}, "web_search": {"websearch"},
	} {
		if got := load(t, tool).Aliases; !slices.Equal(got, want) {
			t.Errorf("%s is also called %q, want %q", tool, got, want)
		}
	}
	for _, tool := range []string{"read", "write", "edit", "multi_edit"} {
		if got, want := load(t, tool).Parameters.Properties["file_path"].Aliases, []string{"filePath", "path"}; !slices.Equal(got, want) {
			t.Errorf("%s: file_path is also called %q, want %q", tool, got, want)
		}
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
				t.Errorf("the description must be one paragraph of some length: %q", m.Description)
			}
			limit := 2 * time.Minute
			if tool == "bash" {
				// the max time that a script may request, plus time to report the timeout
				limit = bash.MaxTimeout + time.Minute
			}
			if timeout, err := time.ParseDuration(m.Timeout); err != nil || timeout <= 0 || timeout > limit {
				t.Errorf("the timeout is %q", m.Timeout)
			}
			if want := []string{tool}; !slices.Equal(m.Module.Args, want) && (tool != "bash" || m.Module.Args != nil) {
				t.Errorf("the module gets %q, want the name of the tool, unless the tool has its own module", m.Module.Args)
			}
			if changed := strings.Trim(m.Changes, "{}"); changed != "" {
				if _, ok := m.Parameters.Properties[changed]; !ok || m.Permissions.FS[0].Mode != "write" {
					t.Errorf("changes = %q names no parameter of a tool that writes", m.Changes)
				}
			}
			if m.Parameters.Type != "object" {
				t.Errorf("the parameters are of type %q", m.Parameters.Type)
			}
			checkProperties(t, m.Parameters, reflect.TypeOf(want))
		})
	}
}

// checkProperties compares the declared parameters with the fields of the arguments.
func checkProperties(t *testing.T, declared schema, fields reflect.Type) {
	kinds := map[reflect.Kind]string{reflect.String: "string", reflect.Int64: "integer", reflect.Bool: "boolean", reflect.Slice: "array"}
	for i := range fields.NumField() {
		field := fields.Field(i)
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		p, ok := declared.Properties[name]
		if !ok {
			t.Errorf("%s is not declared", name)
			continue
		}
		kind := field.Type
		if kind.Kind() == reflect.Pointer { // an optional argument
			kind = kind.Elem()
		}
		if want := kinds[kind.Kind()]; p.Type != want && kind != reflect.TypeFor[jsonvalue.Value]() {
			t.Errorf("%s has the type %q, want %q", name, p.Type, want)
		}
		if p.Description == "" {
			t.Errorf("%s lacks a description", name)
		}
		if p.Items != nil && p.Items.Type == "object" {
			checkProperties(t, *p.Items, field.Type.Elem())
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
			t.Errorf("the default of %s is not a valid value: %v", name, err)
		}
		if slices.Contains(declared.Required, name) {
			t.Errorf("%s is required and has a default", name)
		}
	}
	if len(declared.Properties) != fields.NumField() {
		t.Errorf("%d parameters are declared, but the tool has %d arguments", len(declared.Properties), fields.NumField())
	}
	for _, name := range declared.Required {
		if _, ok := declared.Properties[name]; !ok {
			t.Errorf("%s is required and not declared", name)
		}
	}
}

// A missing parameter has the same effect whether the call comes through the host, which inserts
// the default, or directly.
func TestManifests_defaultsMatchTheTools(t *testing.T) {
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
		{"list", "path", "."},
		{"list", "depth", int64(list.DefaultDepth)},
		{"list", "limit", int64(list.DefaultLimit)},
		{"glob", "limit", int64(glob.DefaultLimit)},
		{"glob", "include_ignored", false},
		{"grep", "include_ignored", false},
		{"datetime", "operation", string(datetime.Now)},
		{"edit", "replace_all", false},
		{"hash", "algorithm", string(hash.SHA256)},
		{"diff", "context", int64(diff.DefaultContext)},
		{"bash", "timeout_ms", bash.DefaultTimeout.Milliseconds()},
		{"edit", "file_hash", ""},
		{"multi_edit", "file_hash", ""},
		{"web_fetch", "format", webfetch.FormatMarkdown},
		{"web_fetch", "max_length", int64(webfetch.DefaultLength)},
		{"web_fetch", "offset", int64(0)},
		{"web_search", "max_results", int64(websearch.DefaultResults)},
		{"web_search", "page", int64(1)},
		{"github_search", "max_results", int64(githubsearch.DefaultResults)},
		{"github_search", "page", int64(1)},
		{"convert", "no_header", false},
		{"convert", "types", false},
		{"json", "raw", false},
		{"json", "compact", false},
		{"json", "indent", int64(jsontool.DefaultIndent)},
	} {
		if got := load(t, test.tool).Parameters.Properties[test.parameter].Default; got != test.want {
			t.Errorf("%s of %s has the default %v, want %v", test.parameter, test.tool, got, test.want)
		}
	}
	if got := load(t, "bash").Parameters.Properties["timeout_ms"].Maximum; got == nil || *got != bash.MaxTimeout.Milliseconds() {
		t.Errorf("the longest time differs from %s", bash.MaxTimeout)
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
			t.Errorf("%s declares the operations %q, but has %q", tool, got, want)
		}
	}
	if got, want := load(t, "hash").Parameters.Properties["algorithm"].Enum, hash.Algorithms(); !slices.Equal(got, want) {
		t.Errorf("hash declares the algorithms %q, but has %q", got, want)
	}
}

func TestManifests_permissions(t *testing.T) {
	// A tool that may write must not be able to create a git hook.
	const writing = "workspace write **/.git/**"
	modes := map[string]string{
		"read": "workspace read", "list": "workspace read", "grep": "workspace read", "glob": "workspace read",
		"hash": "workspace read", "diff": "workspace read",
		"write": writing, "edit": writing, "multi_edit": writing, "apply_patch": writing,
		"skill": "skills read", "json": "workspace read", "convert": "workspace read", "markdown": "workspace read",
		// bash must be able to move and remove directories, which **/.git/** would prevent.
		"bash": "workspace write .git/**, tmp write",
	}
	for tool := range args {
		m := load(t, tool)
		var got []string
		for _, mount := range m.Permissions.FS {
			got = append(got, strings.Join(append([]string{mount.Mount, mount.Mode}, mount.Deny...), " "))
			if mount.Others != (mount.Mount == "workspace") {
				t.Errorf("%s asks for other workspaces with the mount %s: %v", tool, mount.Mount, mount.Others)
			}
		}
		if got := strings.Join(got, ", "); got != modes[tool] {
			t.Errorf("%s asks for %q, want %q", tool, got, modes[tool])
		}
		if m.Permissions.Clock != (tool == "datetime" || tool == "bash" || tool == "todo") {
			t.Errorf("%s asks for the clock: %v", tool, m.Permissions.Clock)
		}
	}
}
