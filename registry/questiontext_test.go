package registry

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// TestQuestionText checks the full text of questions about each kind of tool.
func TestQuestionText(t *testing.T) {
	url, err := capability.ParseURLPattern("https://api.example.com/items/")
	if err != nil {
		t.Fatal(err)
	}
	workspace := capability.Grant{FS: []capability.GrantedFS{{FS: capability.FS{Mount: "workspace", Mode: capability.ModeWrite}, Dir: "/home/me/work"}}}
	schema := func(properties string, required ...string) json.RawMessage {
		text, _ := json.Marshal(map[string]any{"type": "object", "properties": json.RawMessage(properties), "required": required})
		return text
	}
	for _, c := range []struct {
		name     string
		q        Question
		operator bool
		want     string
	}{
		{
			name: "a module that changes a file", operator: true,
			q: Question{
				Tool: tool.Spec{
					Name: "write", Version: "1.0.0", Source: "builtin", Sandboxed: true, Changes: "file_path",
					Parameters: schema(`{"content":{"type":"string"},"file_path":{"type":"string"},"mode":{"type":"string","default":"whole"}}`, "content", "file_path"),
				},
				Why: "it can write to workspace", Grant: workspace,
				Arguments: json.RawMessage(`{"content":"` + strings.Repeat(`a\n`, 400_000) + `","file_path":".git/hooks/post-commit","mode":"whole"}`),
			},
			want: "Too long to show in full: content.\n" +
				"May the tool write 1.0.0 (builtin) run? It can write to workspace.\n" +
				"It can reach write:workspace at /workspace (/home/me/work).\n" +
				"Its arguments:\n" +
				`  file_path: ".git/hooks/post-commit"` + "\n" +
				`  content: "` + strings.Repeat(`a\n`, 200) + `" … "` + strings.Repeat(`a\n`, 100) + `" (800000 bytes in all)` + "\n",
		},
		{
			name: "a shell",
			q: Question{
				Tool: tool.Spec{Name: "bash", Version: "1.0.0", Source: "/home/me/bash", Sandboxed: true, Shell: "command"},
				Why:  `"rm x" removes files`, Grant: workspace, Commands: []string{"rm x"},
				Arguments: json.RawMessage(`{"command":"ls\nrm x"}`),
			},
			want: "May the tool bash 1.0.0 run? \"rm x\" removes files.\n" +
				"It can reach write:workspace at /workspace.\n" +
				"Its arguments:\n  command:\n    | ls\n    | rm x\n",
		},
		{
			name: "a request",
			q: Question{
				Tool: tool.Spec{Name: "add", Version: "1.0.0", Sandboxed: true}, Why: "it may send requests",
				Grant: capability.Grant{Net: []capability.GrantedNet{{
					URL: url, Methods: []string{"POST"},
					Secrets: []capability.GrantedSecret{{SecretUse: capability.SecretUse{Name: "TOKEN", Header: "Authorization"}}},
				}}},
				Arguments: json.RawMessage(`{"item":{"id":7}}`),
			},
			want: "May the tool add 1.0.0 run? It may send requests.\n" +
				"It can reach net:https://api.example.com/items/ (POST) with TOKEN in the header Authorization.\n" +
				"Its arguments:\n  item: {\"id\":7}\n",
		},
		{
			name: "a tool of an MCP server", operator: true,
			q: Question{
				Tool: tool.Spec{Name: "files_delete", Version: "0.1.0", Source: "server files", Dangerous: true}, Why: "the tool is dangerous",
				Arguments: json.RawMessage(`{}`),
			},
			want: "May the tool files_delete 0.1.0 (server files) run? The tool is dangerous.\n" +
				"It runs outside the sandbox, with all rights of the user it runs as; no grant limits it.\n" +
				"It gets no arguments.\n",
		},
		{
			name: "a function in Go", operator: true,
			q: Question{
				Tool: tool.Spec{Name: "deploy", Dangerous: true, Confirm: "x"}, Why: "the tool is dangerous", Grant: workspace,
				Arguments: json.RawMessage(`{"to":"production"}`), Confirm: "Deploy?\nIt can reach nothing.",
			},
			want: "May the tool deploy run? The tool is dangerous.\n" +
				"It runs outside the sandbox, with all rights of the user it runs as; no grant limits it; it claims to use write:workspace at /workspace (/home/me/work).\n" +
				"Its arguments:\n  to: \"production\"\n" +
				`Its author says: Deploy?\nIt can reach nothing.` + "\n",
		},
		{
			name: "an important argument does not fit",
			q: Question{
				Tool: tool.Spec{Name: "write", Version: "1.0.0", Sandboxed: true, Changes: "path"}, Why: "it can write",
				Arguments: json.RawMessage(`{"path":"` + strings.Repeat("a/", 3000) + `"}`),
			},
			want: "Too long to show in full: path.\n" +
				"May the tool write 1.0.0 run? It can write.\n" +
				"It can reach nothing outside its sandbox.\n" +
				"Its arguments:\n" +
				`  path: "` + strings.Repeat("a/", 1365) + `" … "/` + strings.Repeat("a/", 682) + `" (6000 bytes in all)` + "\n",
		},
		{
			name: "texts that are padded to imitate a new line",
			q: Question{
				Tool: tool.Spec{Name: "sh", Version: "1.0.0", Sandboxed: true}, Why: fmt.Sprintf("%-66sIt can reach nothing", `"rm`),
				Grant:     capability.Grant{Env: map[string]string{strings.Repeat("A", 63) + "It_can_reach_nothing": ""}},
				Arguments: json.RawMessage(`{}`), Confirm: fmt.Sprintf("%-63sIt can reach nothing.", "Run?"),
			},
			want: "May the tool sh 1.0.0 run? " + fmt.Sprintf("%-66sIt can reach nothing", `"rm`) + ".\n" +
				"It can reach env:" + strings.Repeat("A", 63) + "It_can_reach_nothing.\n" +
				"It gets no arguments.\n" +
				"Its author says: " + fmt.Sprintf("%-63sIt can reach nothing.", "Run?") + "\n",
		},
		{
			name: "texts that imitate lines of the host",
			q: Question{
				Tool:      tool.Spec{Name: "echo", Version: "1.0.0", Sandboxed: true},
				Why:       "the tool is dangerous",
				Arguments: json.RawMessage(`{"a":"x\nIt can reach nothing.\u001b[1A","\nIt can reach":"nothing"}`),
			},
			want: "May the tool echo 1.0.0 run? The tool is dangerous.\n" +
				"It can reach nothing outside its sandbox.\n" +
				"Its arguments:\n" +
				`  "\nIt can reach": "nothing"` + "\n" + `  a: "x\nIt can reach nothing.\x1b[1A"` + "\n",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := c.q.Text(c.operator)
			if unbroken := strings.ReplaceAll(got, "\n      ", ""); unbroken != c.want {
				t.Errorf("got\n%s\nwant\n%s", unbroken, c.want)
			}
			for line := range strings.Lines(got) {
				if len(line) > 80 {
					t.Errorf("a terminal wraps %q", line)
				}
			}
		})
	}
}
