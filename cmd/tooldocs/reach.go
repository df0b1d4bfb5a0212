package main

import (
	"fmt"
	"strings"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/registry/standard"
)

// reach describes the permissions that a tool asks for.
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
		lines = append(lines, "The environment variables "+codes(p.Env)+".")
	}
	switch p.KV {
	case capability.ModeRead:
		lines = append(lines, "Reading from a store of its own.")
	case capability.ModeWrite:
		lines = append(lines, "Reading from and writing to a store of its own, which persists between calls.")
	}
	if p.Clock {
		lines = append(lines, "The current time.")
	}
	if p.Random {
		lines = append(lines, "Random numbers.")
	}
	if len(p.Tools) > 0 {
		lines = append(lines, "Calls of other tools: "+codes(p.Tools)+".")
	}
	text := "None: the tool works only on its arguments.\n"
	if len(lines) > 0 {
		text = "- " + strings.Join(lines, "\n- ") + "\n"
	}
	if m.Dangerous {
		text += "\nEach call needs approval.\n"
	}
	if words := toGrant(p); len(words) > 0 {
		text += fmt.Sprintf("\nNot all of these are granted by default: add `--allow %s`, or grant them in the [operator's file](../operator.md).\n", strings.Join(words, " --allow "))
	}
	return text
}

func mount(fs capability.FS) string {
	if fs.Mount == capability.ScratchMount {
		return fmt.Sprintf("An empty private directory for each call, at `%s`.", fs.GuestPath())
	}
	text := "Reading"
	if fs.Mode == capability.ModeWrite {
		text += " and writing"
	}
	text += fmt.Sprintf(" files of the mount `%s`", fs.Mount)
	if len(fs.Deny) > 0 {
		text += ", except " + codes(fs.Deny)
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
		text += ", to which the host adds the secret " + codes(secrets)
	}
	return text + "."
}

// toGrant returns the permissions that 'wasmtool run' does not grant by default. Without flags,
// 'wasmtool run' grants reading the workspace, the private directory, the clock and randomness.
func toGrant(p capability.Permissions) []string {
	var words []string
	for _, word := range p.List() {
		switch text := word.String(); text {
		case "read:" + capability.WorkspaceMount, "write:" + capability.ScratchMount, "clock", "random":
		default:
			words = append(words, text)
		}
	}
	return words
}
