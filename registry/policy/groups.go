package policy

import (
	"cmp"
	"maps"
	"slices"
)

// groupPrefix marks an entry that names a group.
const groupPrefix = "group:"

// groupMembers are the built-in groups. list, glob and grep are in fs, because denying the file
// tools should deny the tools that search files as well.
var groupMembers = map[string][]string{
	"fs":         {"read", "write", "edit", "multi_edit", "apply_patch", "list", "glob", "grep"},
	"runtime":    {"bash", "code", "process"},
	"web":        {"web_search", "web_fetch", "github_search"},
	"sessions":   {"sessions_list", "sessions_send", "sessions_spawn"},
	"messaging":  {"message"},
	"memory":     {"memory_search", "memory_get"},
	"ui":         {"browser", "canvas"},
	"automation": {"cron"},
	"planning":   {"todo", "spec", "question", "skill", "task"},
	"data":       {"calculator", "datetime", "string", "array", "object", "json", "convert", "diff", "hash", "markdown"},
}

// profileFull is the profile with every tool.
const profileFull = "full"

// profileEntries are the profiles except full, from small to large.
var profileEntries = []struct {
	name    string
	entries []string
}{
	{"minimal", []string{"session_status"}},
	{"messaging", []string{"group:messaging", "sessions_list", "session_status"}},
	{"coding", []string{"group:fs", "group:runtime", "group:sessions"}},
}

// otherNames are names that other systems use for well-known tools.
var otherNames = map[string]string{
	"exec":        "bash",
	"apply-patch": "apply_patch",
	"webfetch":    "web_fetch",
	"websearch":   "web_search",
}

// sameTool returns a name and the other names of that well-known tool.
func sameTool(name string) []string {
	own := cmp.Or(otherNames[name], name)
	all := []string{own}
	for other, of := range otherNames {
		if of == own {
			all = append(all, other)
		}
	}
	return all
}

// Groups returns the names of the built-in groups, without their prefix, in order.
func Groups() []string { return slices.Sorted(maps.Keys(groupMembers)) }

// Profiles returns the names of the profiles, from the one with the fewest tools to "full".
func Profiles() []string {
	var names []string
	for _, p := range profileEntries {
		names = append(names, p.name)
	}
	return append(names, profileFull)
}
