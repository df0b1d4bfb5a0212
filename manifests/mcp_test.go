package manifests

import (
	"errors"
	"strings"
	"testing"
)

func TestDecodeMCP(t *testing.T) {
	const text = head + "[mcp]\nserver = \"my-tickets\"\ntool = \"Create.Issue\"\n"
	m := mustDecode(t, text)
	if *m.MCP != (MCP{"my-tickets", "Create.Issue"}) || m.Parameters != nil || m.Permissions.String() != "nothing" {
		t.Errorf("got %+v, %+v", m.MCP, m)
	}
	own := mustDecode(t, text+"[parameters]\ntype = \"object\"\n[parameters.properties.title]\n[[examples]]\ntitle = \"a\"\narguments = { title = \"b\" }\ncontains = [\"c\"]\nnetwork = true\n")
	if own.Parameters == nil || len(own.Examples) != 1 {
		t.Errorf("got %+v", own)
	}
	for more, want := range map[string]string{
		"[permissions]\nclock = true":                        "permissions: nothing restricts an MCP server",
		"[limits]\noutput = \"1MiB\"":                        "limits: nothing restricts an MCP server",
		"[settings.a]\ndescription = \"b\"\ndefault = \"c\"": "settings: nothing restricts an MCP server",
		"[rest]\nbase_url = \"https://a.example/\"":          "mcp: the manifest has [rest] as well",
		"[describe]\nargs = [\"x\"]":                         "describe: only a program can describe itself",
		"[parameters]\ntype = \"object\"\n[parameters.properties.x]\n[[examples]]\ntitle = \"a\"\narguments = { y = 1 }\ncontains = [\"c\"]": "the tool would not receive all arguments",
	} {
		_, err := Decode("tool.toml", []byte(text+more+"\n"))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s\ngives %v, want %q", more, err, want)
		}
	}
	for values, want := range map[string]string{
		`server = "My_Server"` + "\n" + `tool = "a"`: `mcp.server: "My_Server" is not the name of a server`,
		`server = "a"`:                   "mcp.tool: missing; add the server's name for the tool",
		`server = "a"` + "\ntool = \"\"": "mcp.tool: is empty",
	} {
		_, err := Decode("tool.toml", []byte(head+"[mcp]\n"+values+"\n"))
		var errs Errors
		if !errors.As(err, &errs) || len(errs) != 1 || !strings.Contains(errs[0].Error(), want) {
			t.Errorf("%s gives %v, want %q", values, err, want)
		}
	}
}
