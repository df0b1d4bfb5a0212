package shellcommand

import (
	"slices"
	"strings"
)

// arity maps a program to the number of words at the start of a command that say what the command
// does. For programs that are not listed, the number is 1.
var arity = map[string]int{
	"git": 2, "npm": 2, "pnpm": 2, "yarn": 2, "bun": 2, "go": 2, "cargo": 2, "docker": 2, "podman": 2, "kubectl": 2, "helm": 2,
	"pip": 2, "pip3": 2, "uv": 2, "poetry": 2, "gem": 2, "bundle": 2, "rails": 2, "make": 2, "just": 2, "task": 2, "brew": 2, "apt": 2, "apt-get": 2,
	"dotnet": 2, "mvn": 2, "gradle": 2, "terraform": 2, "gh": 2, "aws": 3, "gcloud": 3, "systemctl": 2, "composer": 2, "deno": 2, "hg": 2, "svn": 2, "jj": 2,
}

// deeper lists the first two words of commands whose third word says what the command does.
var deeper = []string{
	"npm run", "npm exec", "pnpm run", "yarn run", "bun run", "docker compose", "docker container", "docker image", "git stash", "git remote", "git worktree",
	"git submodule", "git bisect", "gh pr", "gh issue", "gh repo", "go mod", "go tool", "uv pip", "poetry run", "bundle exec", "deno task", "cargo run",
}

// anything are programs that can do anything, depending on their arguments. No pattern describes
// what such a command does.
var anything = []string{
	"env", "exec", "command", "builtin", "timeout", "nice", "nohup", "setsid", "stdbuf", "time", "xargs", "watch", "eval", "source", ".", "trap", "alias",
	"sh", "bash", "dash", "ash", "zsh", "ksh", "fish", "csh", "tcsh", "python", "python2", "python3", "perl", "ruby", "node", "php", "lua", "tclsh",
	"awk", "gawk", "sed", "find", "parallel", "ssh", "npx", "busybox", "toybox", "printf", "test", "[", "export", "declare",
	"set", "shopt", "read", "unset", "let", "expect", "strace", "script", "osascript", "powershell", "pwsh",
}

// pattern returns the pattern of Settings.Allow for all commands that do the same as words, or ""
// if there is none. Examples are "git commit *" and "npm run build *".
func pattern(words []word) string {
	name := base(words[0].text)
	if slices.Contains(anything, name) || strings.HasPrefix(name, "python") {
		return ""
	}
	take := max(arity[name], 1)
	if take == 2 && len(words) > 1 && slices.Contains(deeper, name+" "+words[1].text) {
		take = 3
	}
	var kept []string
	for _, w := range words[:min(take, len(words))] {
		if !w.fixed || w.text == "" || len(kept) > 0 && w.option {
			return ""
		}
		kept = append(kept, w.text)
	}
	p := strings.Join(append(kept, "*"), " ")
	if CheckPattern(p, true) != nil || strings.Contains(strings.TrimSuffix(p, "*"), "*") || len(strings.Fields(p)) != len(kept)+1 {
		return ""
	}
	return p
}
