package shellcommand

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/wasmtool/wasmtool/internal/plaintext"
	"github.com/wasmtool/wasmtool/internal/wildcard"
	"github.com/wasmtool/wasmtool/registry/policy"
)

// Settings are the operator's decisions about commands. The zero value decides nothing.
//
// Entries are patterns: the words of a command, in which * matches any characters of a word; a *
// that is the last word matches any number of further words. CheckPattern validates an entry.
type Settings struct {
	// Allow lets commands that would need approval run without it, with all permissions of the
	// tool. A command must match as a whole, word by word, and each compared word must be known
	// before it runs. Allow does not override a denial, and covers only the command itself: not its
	// redirections, not variables set for it, and not commands within it.
	Allow []string
	// Ask requires approval for commands, and Deny denies them. A pattern matches a command if its
	// first word is the name of the command, and its other words are among the arguments in the
	// same order. Further arguments, the directory of the program and case are ignored. If the
	// match depends on a word that is known only at run time, the command needs approval.
	Ask, Deny []string
	// If Unconfirmed is set, the rest of the policy decides about commands that need approval, as
	// if the script were any other argument. Denied commands stay denied.
	Unconfirmed bool
}

// maxPatternBytes limits a pattern.
const maxPatternBytes = 256

// CheckPattern returns what is wrong with an entry of Settings. allows is true for an entry of
// Allow.
func CheckPattern(pattern string, allows bool) error {
	words := strings.Fields(pattern)
	switch {
	case len(words) == 0 || len(pattern) > maxPatternBytes:
		return fmt.Errorf("is empty, or longer than %d bytes; write a command, such as \"npm run *\"", maxPatternBytes)
	case !plaintext.Plain(pattern, plaintext.Word):
		return fmt.Errorf("%q contains a character that is not printable; remove it", pattern)
	case strings.ContainsAny(pattern, "|&;<>()$`\\\"'\n"):
		return fmt.Errorf("%q contains a character that has a meaning in the shell; a pattern is the words of one command", pattern)
	case allows && forbidden([]word{fixedWord(words[0])}) != "":
		return fmt.Errorf("%q is never allowed; remove it", pattern)
	}
	return nil
}

// covers reports whether a pattern of Allow matches a command.
func covers(pattern string, command []word) bool {
	words := strings.Fields(pattern)
	if last := len(words) - 1; last >= 0 && words[last] == "*" {
		words = words[:last]
		command = command[:min(len(words), len(command))]
	}
	return slices.EqualFunc(words, command, func(want string, w word) bool { return w.fixed && matches(want, w.text) })
}

// restricts reports whether the operator lists commands that need approval or are denied.
func (s Settings) restricts() bool { return len(s.Ask) > 0 || len(s.Deny) > 0 }

// touches returns whether a pattern of Ask or Deny matches a command (the result holds), and
// whether it could match (the result may). A match may depend on words that are known only at run
// time.
func touches(pattern string, command []word) (holds, may bool) {
	words := strings.Fields(strings.ToLower(pattern))
	if len(words) == 0 || !command[0].fixed || !matches(words[0], base(command[0].text)) && !matches(words[0], strings.ToLower(command[0].text)) {
		return false, false
	}
	return follow(words[1:], command[1:], false), follow(words[1:], command[1:], true)
}

// follow reports whether words contains the words of a pattern in the same order. If doubt is set,
// an unknown word may stand for any number of words.
func follow(pattern []string, words []word, doubt bool) bool {
	for _, want := range pattern {
		if want == "*" {
			continue
		}
		for len(words) > 0 && !(words[0].fixed && matches(want, strings.ToLower(words[0].text)) || doubt && !words[0].fixed) {
			words = words[1:]
		}
		if len(words) == 0 {
			return false
		}
		if words[0].fixed {
			words = words[1:]
		}
	}
	return true
}

func matches(pattern, text string) bool { return wildcard.Match(pattern, text) }

// restrict returns the verdict of Ask and Deny about a command; found is false if neither matches.
func (s Settings) restrict(command []word) (doubt verdict, found bool) {
	for _, pattern := range s.Deny {
		if holds, may := touches(pattern, command); holds {
			return deny("is denied by shell.deny " + shown(pattern)), true
		} else if may {
			doubt, found = ask("may be a command that is denied by shell.deny "+shown(pattern)), true
		}
	}
	for _, pattern := range s.Ask {
		if _, may := touches(pattern, command); may {
			return ask("needs approval because of shell.ask " + shown(pattern)), true
		}
	}
	return doubt, found
}

// permit allows a part that needs approval if Allow covers it.
func (s Settings) permit(p Part, command []word) Part {
	for _, pattern := range s.Allow {
		if p.Effect == policy.Ask && covers(pattern, command) {
			p.Effect, p.allowed, p.Why = policy.Allow, true, "is allowed by shell.allow "+shown(pattern)
		}
	}
	return p
}

// base returns the name of a program in lower case, without its directory.
func base(name string) string { return strings.TrimSuffix(strings.ToLower(path.Base(name)), ".exe") }
