package bash

import (
	"maps"
	"slices"
	"strings"
)

// hint returns a sentence of help for a well-known program that the sandbox lacks, or "" for other
// names.
func (s *shell) hint(name string) string {
	const sandbox = "This shell is a sandbox: it starts no programs and has only its own commands; help lists them."
	switch name {
	case "git", "gh", "hg", "svn":
		return sandbox + " There is no version control, but you can read and change the files of the repository."
	case "python", "python3", "node", "ruby", "perl", "php", "lua", "deno", "bun", "java":
		return sandbox + " There is no interpreter for other languages; use awk, sed and jq for text and data."
	case "pip", "pip3", "npm", "npx", "yarn", "pnpm", "apt", "apt-get", "brew", "yum", "dnf", "apk", "cargo", "gem", "uv":
		return sandbox + " No software can be installed."
	case "go", "make", "gcc", "cc", "g++", "clang", "rustc", "cmake", "javac", "tsc", "pytest", "jest", "mvn", "gradle":
		return sandbox + " Programs can't be built or tested here."
	case "docker", "podman", "kubectl", "systemctl", "service", "sudo", "su", "ssh", "scp", "rsync", "mount", "chroot", "nc", "ping":
		return sandbox + " Other machines, users and services are out of reach."
	case "wget":
		return sandbox + " Use curl, which can connect to the servers that the operator allows."
	case "vi", "vim", "nano", "emacs", "less", "more", "man", "top", "htop":
		return sandbox + " It has no terminal; use cat, head, tail and sed."
	case "rg", "ag", "ack":
		return sandbox + " Use grep -rn."
	case "fd", "fdfind", "locate":
		return sandbox + " Use find."
	case "ps", "pgrep", "pkill", "killall", "nohup":
		return sandbox + " There are no processes; & and wait work within one call."
	}
	return ""
}

// names returns the names of all commands except the internal commands.
func (s *shell) names() []string {
	names := slices.Sorted(maps.Keys(s.commands))
	return slices.DeleteFunc(names, func(name string) bool { return strings.HasPrefix(name, "__") })
}
