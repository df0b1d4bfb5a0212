package mcp

import "fmt"

// InsideEnv names the variable that tells a program that it runs as an MCP server; its value is the
// name of the server. A wasmtool process that finds the variable set starts no MCP servers.
// Otherwise a wasmtool whose operator's file lists wasmtool itself as a server would start itself
// again and again.
const InsideEnv = "WASMTOOL_MCP_SERVER"

// inherited are the variables that each server gets, so that it finds other programs, its
// directories and its language. Other variables are not passed on, because they may contain
// secrets.
var inherited = []string{
	"PATH", "HOME", "USER", "LOGNAME", "LANG", "LC_ALL", "TMPDIR", "TZ",
	"SystemRoot", "SystemDrive", "USERPROFILE", "USERNAME", "APPDATA", "LOCALAPPDATA", "TEMP", "TMP", "PATHEXT", "ComSpec",
}

// environment returns the variables of a server's program, as "NAME=value".
func environment(o Options) ([]string, error) {
	env := []string{InsideEnv + "=" + o.Name}
	for _, name := range inherited {
		if value, ok := o.LookupEnv(name); ok {
			env = append(env, name+"="+value)
		}
	}
	for _, name := range o.Env {
		value, ok := o.LookupEnv(name)
		if !ok {
			return nil, fmt.Errorf("the variable %s, which env lists, is not set; set it or remove it from env", name)
		}
		env = append(env, name+"="+value)
	}
	return env, nil
}
