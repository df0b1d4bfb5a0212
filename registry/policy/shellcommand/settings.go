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

// Settings are what the operator says about commands. The zero value says nothing.
//
// Entries are patterns: words as in a command, in which * stands for any characters of a
// word; a * that is the last word stands for any further words, or none. CheckPattern
// says what is wrong with one.
type Settings struct {
	// Allow lets commands run unasked that would be asked about, with all that the tool
	// was granted. A command must fit as a whole, word by word, with each word known that
	// is compared. It lifts no denial, and covers the command alone: neither where its
	// output is redirected, nor variables set for it, nor commands inside of it.
	Allow []string
	// Ask and Deny make commands be asked about, and denied. A command fits if the words
	// of the pattern are among its words in that order, the first as its name: whatever
	// options stand between them, in whatever folder the program lies, and whatever the
	// letter case. Where a word decides that is only known when it runs, the command is
	// asked about.
	Ask, Deny []string
	// Unconfirmed leaves commands that are asked about to the rest of the policy, as if
	// the script were any other argument. What is denied stays denied.
	Unconfirmed bool
}

// maxPatternBytes bounds a pattern.
const maxPatternBytes = 256

// CheckPattern says what is wrong with an entry of Settings; allows tells that it is one
// of Allow.
func CheckPattern(pattern string, allows bool) error {
	words := strings.Fields(pattern)
	switch {
	case len(words) == 0 || len(pattern) > maxPatternBytes:
		return fmt.Errorf("is empty, or longer than %d bytes; write a command, such as \"npm run *\"", maxPatternBytes)
	case !plaintext.Plain(pattern, plaintext.Word):
		return fmt.Errorf("%q holds a character that is not printable", pattern)
	case strings.ContainsAny(pattern, "|&;<>()$`\\\"'\n"):
		return fmt.Errorf("%q holds a character that the shell gives a meaning; a pattern is the words of one command", pattern)
	case allows && forbidden([]word{fixedWord(words[0])}) != "":
		return fmt.Errorf("%q is never allowed, whoever asks for it; leave it out", pattern)
	}
	return nil
}

// covers reports whether a pattern of Allow holds for a command.
func covers(pattern string, command []word) bool {
	words := strings.Fields(pattern)
	if last := len(words) - 1; last >= 0 && words[last] == "*" {
		words = words[:last]
		command = command[:min(len(words), len(command))]
	}
	return slices.EqualFunc(words, command, func(want string, w word) bool { return w.fixed && matches(want, w.text) })
}

// touches reports whether a pattern of Ask or Deny holds for a command, and whether it may,
// if what is only known when it runs is as the pattern has it.
func touches(pattern string, command []word) (holds, may bool) {
	words := strings.Fields(strings.ToLower(pattern))
	if len(words) == 0 || !command[0].fixed || !matches(words[0], base(command[0].text)) && !matches(words[0], strings.ToLower(command[0].text)) {
		return false, false
	}
	return follow(words[1:], command[1:], false), follow(words[1:], command[1:], true)
}

// follow reports whether the words of a pattern are among others in their order; doubt
// takes words that are not known for any number of any words.
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

// restrict is what Ask and Deny say about a command; false when they say nothing.
func (s Settings) restrict(command []word) (doubt judgement, found bool) {
	for _, pattern := range s.Deny {
		if holds, may := touches(pattern, command); holds {
			return deny("is denied by shell.deny " + shown(pattern)), true
		} else if may {
			doubt, found = ask("may be what is denied by shell.deny "+shown(pattern)), true
		}
	}
	for _, pattern := range s.Ask {
		if _, may := touches(pattern, command); may {
			return ask("is asked about by shell.ask " + shown(pattern)), true
		}
	}
	return doubt, found
}

// permit makes a part of a command allowed that is asked about, if Allow says so.
func (s Settings) permit(p Part, command []word) Part {
	for _, pattern := range s.Allow {
		if p.Effect == policy.Ask && covers(pattern, command) {
			p.Effect, p.allowed, p.Why = policy.Allow, true, "is allowed by shell.allow "+shown(pattern)
		}
	}
	return p
}

// base is the name of a program in lower case, whatever folder it lies in.
func base(name string) string { return strings.TrimSuffix(strings.ToLower(path.Base(name)), ".exe") }
