package policy

// groupPrefix marks an entry that names a group.
const groupPrefix = "group:"

// groupMembers are the groups that every policy knows. list, glob and grep are in fs,
// because whoever denies the tools for files means the ones that look for them too.
var groupMembers = map[string][]string{
	"fs":         {"read", "write", "edit", "multi_edit", "apply_patch", "list", "glob", "grep"},
	"runtime":    {"exec", "process"},
	"web":        {"web_search", "web_fetch"},
	"sessions":   {"sessions_list", "sessions_send", "sessions_spawn"},
	"messaging":  {"message"},
	"memory":     {"memory_search", "memory_get"},
	"ui":         {"browser", "canvas"},
	"automation": {"cron"},
}

// profileFull is the profile with every tool.
const profileFull = "full"

// profileEntries are the profiles but full, from small to large.
var profileEntries = []struct {
	name    string
	entries []string
}{
	{"minimal", []string{"session_status"}},
	{"messaging", []string{"group:messaging", "sessions_list", "session_status"}},
	{"coding", []string{"group:fs", "group:runtime", "group:sessions"}},
}

// otherNames are the names by which well-known tools go elsewhere.
var otherNames = map[string]string{
	"bash":        "exec",
	"apply-patch": "apply_patch",
	"webfetch":    "web_fetch",
	"websearch":   "web_search",
}

// Profiles returns the names of the profiles, from the one with the fewest tools to
// "full".
func Profiles() []string {
	var names []string
	for _, p := range profileEntries {
		names = append(names, p.name)
	}
	return append(names, profileFull)
}
