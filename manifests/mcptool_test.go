package manifests

import (
	"strings"
	"testing"
)

// mcp_tool is only for Extism plug-ins, and its value must be a valid name.
func TestMCPToolOfManifest(t *testing.T) {
	const head = "manifest = 1\nname = \"x\"\nversion = \"1.0.0\"\ndescription = \"X.\"\n[module]\npath = \"x.wasm\"\n"
	for keys, want := range map[string]string{
		"abi = \"extism\"\nmcp_tool = \"say.Hello\"":                        "",
		"mcp_tool = \"a\"":                                                  "mcp_tool is only for Extism plug-ins",
		"abi = \"reactor\"\nmcp_tool = \"a\"":                               "mcp_tool is only for Extism plug-ins",
		"abi = \"extism\"\nmcp_tool = \"a\"\noutput = \"json\"":             "module.output: remove output; mcp_tool determines",
		"abi = \"extism\"\nmcp_tool = \"a\"\nstdin = \"none\"":              "module.stdin: remove stdin; mcp_tool determines",
		"abi = \"extism\"\nmcp_tool = \"\"":                                 "is empty",
		"abi = \"extism\"\nmcp_tool = \"a\\nb\"":                            "not printable",
		"abi = \"extism\"\nmcp_tool = \"" + strings.Repeat("x", 257) + "\"": "longer than 256 bytes",
	} {
		_, err := Decode("tool.toml", []byte(head+keys+"\n"))
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%.60q: got %v, want %s", keys, err, want)
		}
	}
}
