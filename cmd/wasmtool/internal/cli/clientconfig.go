package cli

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/wasmtool/wasmtool/internal/each"
	"github.com/wasmtool/wasmtool/internal/plainjson"
	"github.com/wasmtool/wasmtool/internal/stricttoml"
)

// client is a program whose configuration can start the server.
type client struct {
	name string
	file string // where the user finds the configuration; shown in messages
	// table is the name of the JSON object or TOML table that holds the servers.
	table string
	// typed means that each server has a field for its transport: "type": "stdio".
	typed bool
	toml  bool // the configuration is TOML; otherwise JSON
}

// clients lists the known clients, as of November 2026.
var clients = []client{
	{name: "claude", file: ".mcp.json in the project (Claude Code)", table: "mcpServers", typed: true},
	{name: "claude-desktop", file: "claude_desktop_config.json (Settings, Developer, Edit Config)", table: "mcpServers"},
	{name: "cursor", file: ".cursor/mcp.json in the project, or ~/.cursor/mcp.json", table: "mcpServers"},
	{name: "vscode", file: ".vscode/mcp.json in the workspace", table: "servers", typed: true},
	{name: "codex", file: "~/.codex/config.toml", table: "mcp_servers", toml: true},
	{name: "gemini", file: ".gemini/settings.json in the project, or ~/.gemini/settings.json", table: "mcpServers"},
	{name: "windsurf", file: "~/.codeium/windsurf/mcp_config.json", table: "mcpServers"},
	{name: "zed", file: "settings.json of Zed", table: "context_servers"},
}

func clientNames() []string {
	return each.Of(clients, func(c client) string { return c.name })
}

// clientServer is one server in a client's configuration.
type clientServer struct {
	Type    string   `json:"type,omitempty" toml:"type,omitempty"`
	Command string   `json:"command" toml:"command"`
	Args    []string `json:"args" toml:"args"`
}

// printClientConfig prints the configuration that makes a client start this command with the
// given flags.
func (o *serveOptions) printClientConfig(cmd *cobra.Command) error {
	i := slices.IndexFunc(clients, func(c client) bool { return c.name == o.client })
	if i < 0 {
		return usage(cmd, fmt.Sprintf("--print-config %s: unknown client; the known clients are %s", o.client, strings.Join(clientNames(), ", ")))
	}
	if o.http != "" {
		return usage(cmd, "--print-config is for clients that start the command themselves; for clients that connect over HTTP, see docs/mcp.md")
	}
	program, err := os.Executable()
	if err != nil {
		program = "wasmtool"
	}
	args, err := serveArguments(cmd.Flags())
	if err != nil {
		return err
	}
	text, err := clients[i].config(clientServer{Command: program, Args: args})
	if err != nil {
		return err
	}
	fmt.Fprintf(o.Err, "wasmtool: put this into %s:\n", clients[i].file)
	_, err = o.Out.Write(text)
	return outputFailed(err)
}

func (c client) config(s clientServer) ([]byte, error) {
	if c.typed {
		s.Type = "stdio"
	}
	config := map[string]map[string]clientServer{c.table: {"wasmtool": s}}
	if c.toml {
		text, err := stricttoml.Marshal(config)
		// Omit the header of the parent table. The client's file may already have this table, and a
		// second header is an error.
		return bytes.TrimPrefix(text, []byte("["+c.table+"]\n")), err
	}
	return plainjson.Indented(config)
}

// serveArguments returns the command line with absolute paths, because a client may start the
// command in any directory.
func serveArguments(flags *pflag.FlagSet) ([]string, error) {
	args := []string{"serve"}
	var failed error
	flags.Visit(func(f *pflag.Flag) {
		values := []string{f.Value.String()}
		if list, ok := f.Value.(pflag.SliceValue); ok {
			values = list.GetSlice()
		}
		for _, value := range values {
			var err error
			switch f.Name {
			case "print-config":
				continue
			case "workspace":
				dir := workspaceName.Regexp().ReplaceAllString(value, "")
				name := strings.TrimSuffix(value, dir)
				dir, err = absolute(dir)
				value = name + dir
			case "tools", "config":
				value, err = filepath.Abs(value)
			case "cache":
				if !strings.EqualFold(value, cacheOff) {
					value, err = filepath.Abs(value)
				}
			case "secret":
				if name, file, isFile := strings.Cut(value, "=@"); isFile {
					file, err = filepath.Abs(file)
					value = name + "=@" + file
				}
			case "dir":
				name, path, _ := strings.Cut(value, "=")
				path, err = absolute(path)
				value = name + "=" + path
			}
			if err != nil {
				failed = err
			}
			if f.Value.Type() == "bool" {
				args = append(args, "--"+f.Name+"="+value)
				continue
			}
			args = append(args, "--"+f.Name, value)
		}
	})
	return args, failed
}

// absolute makes the path of a directory absolute and keeps its :rw suffix.
func absolute(dir string) (string, error) {
	path, write := strings.CutSuffix(dir, writeSuffix)
	path, err := filepath.Abs(path)
	return path + yesNo(write, writeSuffix, ""), err
}
