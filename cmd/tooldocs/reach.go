package main

import (
	"fmt"
	"strings"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/registry/standard"
)

// reach says in words what a tool asks for.
func reach(m standard.LoadedManifest) string {
	p := m.Permissions
	var lines []string
	for _, fs := range p.FS {
		lines = append(lines, mount(fs))
	}
	for _, n := range p.Net {
		lines = append(lines, requests(n))
	}
	if len(p.Env) > 0 {
		lines = append(lines, "The variables "+codes(p.Env)+".")
	}
	switch p.KV {
	case capability.ModeRead:
		lines = append(lines, "A store of its own, to read.")
	case capability.ModeWrite:
		lines = append(lines, "A store of its own that lasts from one call to the next.")
	}
	if p.Clock {
		lines = append(lines, "The real time.")
	}
	if p.Random {
		lines = append(lines, "Real randomness.")
	}
	text := "Nothing: it works on its arguments alone.\n"
	if len(lines) > 0 {
		text = "- " + strings.Join(lines, "\n- ") + "\n"
	}
	if m.Dangerous {
		text += "\nEach call needs somebody's approval.\n"
	}
	if words := toGrant(p); len(words) > 0 {
		text += fmt.Sprintf("\nIt runs once that is granted: `--allow %s`, or in the [operator's file](../operator.md).\n", strings.Join(words, " --allow "))
	}
	return text
}

func mount(fs capability.FS) string {
	if fs.Mount == capability.ScratchMount {
		return fmt.Sprintf("An empty folder of the call's own, at `%s`.", fs.GuestPath())
	}
	text := fmt.Sprintf("The files of the mount `%s`, to read", fs.Mount)
	if fs.Mode == capability.ModeWrite {
		text += " and write"
	}
	if len(fs.Deny) > 0 {
		text += ", but not " + codes(fs.Deny)
	}
	return text + "."
}

func requests(n capability.Net) string {
	methods := n.Methods
	if len(methods) == 0 {
		methods = []string{"GET"}
	}
	to := "`" + n.URL.String() + "`"
	if n.URL.IsAny() {
		to = "any public host"
	}
	text := fmt.Sprintf("HTTP requests (%s) to %s", strings.Join(methods, ", "), to)
	var secrets []string
	for _, s := range n.Secrets {
		secrets = append(secrets, s.Name)
	}
	if len(secrets) > 0 {
		text += ", into which the host puts the secret " + codes(secrets)
	}
	return text + "."
}

// toGrant are the words of what nobody has without being given it: 'wasmtool run' offers
// the workspace for reading, the clock and randomness.
func toGrant(p capability.Permissions) []string {
	var words []string
	for _, word := range p.Words() {
		switch text := word.String(); text {
		case "read:" + capability.WorkspaceMount, "write:" + capability.ScratchMount, "clock", "random":
		default:
			words = append(words, text)
		}
	}
	return words
}
