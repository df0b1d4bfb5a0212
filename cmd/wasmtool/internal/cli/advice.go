package cli

import (
	"slices"
	"strings"

	"github.com/wasmtool/wasmtool/registry/tool"
)

// advised is an error of a call, with the command that would grant what it lacked but for
// the permissions, the name of the operator's file, and what flags granted already.
type advised struct {
	error
	grantCommand string
	operatorFile string
	given        []string
}

func (e advised) Unwrap() error { return e.error }

// grantCommand is how the tool of a command line is granted something, but for the
// permissions.
func (o *toolOptions) grantCommand(target string) string {
	words := []string{"wasmtool", "permission", "grant"}
	for _, folder := range o.folders {
		words = append(words, "--tools", shellWord(folder))
	}
	if o.config != "" {
		words = append(words, "--config", shellWord(o.config))
	}
	return strings.Join(append(words, shellWord(target)), " ")
}

// adviceFor says how a person at a command line mends a failure: lines, each of which is
// enough. It is empty when nothing at the command line does.
func adviceFor(e *tool.Error, known advised) []string {
	var lines []string
	stands := len(e.Details.Missing) > 0 && len(e.Details.Grant) == 0 && e.Details.Fix != ""
	if stands {
		lines = append(lines, "what stands in the way:\n"+printable(e.Details.Fix))
	}
	if flags := flagsFor(e, known.given); flags != "" {
		when := "for this call: "
		if stands && slices.ContainsFunc(e.Details.Missing, isSecret) {
			when = "after that, " + when // no flag says where a secret's value comes from
		}
		lines = append(lines, when+flags)
	}
	if len(e.Details.Grant) > 0 && known.grantCommand != "" {
		lines = append(lines, "for the tool as it is: "+known.grantCommand+shellWords(e.Details.Grant))
	}
	if e.Details.Fix != "" && !stands {
		lines = append(lines, "for good, in the operator's file"+among(known.operatorFile)+":\n"+printable(e.Details.Fix))
	}
	return lines
}

func isSecret(permission string) bool { return strings.HasPrefix(permission, "secret:") }

// among puts a name into the middle of a sentence.
func among(name string) string {
	if name == "" {
		return ""
	}
	return " (" + oneLine(name) + ")"
}

// flagsFor is what lets one call run, besides the permissions that flags gave already.
func flagsFor(e *tool.Error, given []string) string {
	if e.Code == tool.CodeApprovalRequired {
		return "run it at a terminal to be asked, or add --yes"
	}
	var flags []string
	for _, permission := range e.Details.Grant {
		flags = append(flags, "--allow "+shellWord(permission))
	}
	for _, permission := range e.Details.Missing {
		if slices.Contains(slices.Concat(e.Details.Grant, e.Details.Denied, given), permission) {
			continue
		}
		switch kind, name, _ := strings.Cut(permission, ":"); {
		case (kind == "read" || kind == "write") && name != workspace:
			flags = append(flags, "--dir "+name+"=PATH"+yesNo(kind == "write", writeSuffix, ""))
		case kind == "env":
			flags = append(flags, "--env "+name+"=VALUE")
		default:
			flags = append(flags, "--allow "+shellWord(permission))
		}
	}
	if len(flags) == 0 {
		return ""
	}
	return "add " + strings.Join(flags, " ")
}

func shellWords(words []string) string {
	var b strings.Builder
	for _, w := range words {
		b.WriteString(" " + shellWord(w))
	}
	return b.String()
}

// shellWord writes a word so that a POSIX shell takes it for itself and nothing more: a
// tool's author chose part of it, and a person is asked to run the line.
func shellWord(s string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("_-./:,@%+=", r)
	}
	if s != "" && !strings.ContainsFunc(s, func(r rune) bool { return !plain(r) }) {
		return s
	}
	return "'" + strings.ReplaceAll(oneLine(s), "'", `'\''`) + "'"
}
