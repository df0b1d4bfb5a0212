package workspace

import (
	"io"
	"io/fs"
	"path"
	"strings"

	"github.com/wasmtool/wasmtool/guest-examples/internal/wildmatch"
)

const (
	ignoreFile = ".gitignore"
	// maxIgnoreFile limits the bytes read of an ignore file. maxIgnoreRules limits the rules that
	// apply in a directory, since each rule is matched with each name.
	maxIgnoreFile  = 64 << 10
	maxIgnoreRules = 1000
)

// ignoreRule is a line of an ignore file.
type ignoreRule struct {
	base string // directory of the ignore file
	// from is the path from base to the working directory if names are relative to a working
	// directory below base; otherwise it is "".
	from        string
	literal     string // the start of the pattern, without special characters
	pattern     string // the rest; see wildmatch.Match
	whole       bool   // match the path below base instead of the name
	directories bool   // match only directories
	negated     bool   // an exception to earlier rules
}

// parseIgnore parses the rules of the ignore file in the directory base, as git does. The result
// has the given from.
func parseIgnore(base, from, content string) []ignoreRule {
	var rules []ignoreRule
	for line := range strings.Lines(strings.TrimPrefix(content, "\ufeff")) {
		line = trimSpaces(strings.TrimSuffix(strings.TrimSuffix(line, "\n"), "\r"))
		if line == "" || line[0] == '#' {
			continue
		}
		rule := ignoreRule{base: base, from: from}
		line, rule.negated = strings.CutPrefix(line, "!")
		line, rule.directories = strings.CutSuffix(line, "/")
		rule.whole = strings.Contains(line, "/")
		line = strings.TrimPrefix(line, "/")
		if line == "" || len(line) > maxPattern {
			continue
		}
		special := strings.IndexAny(line, `*?[\`)
		if special < 0 {
			special = len(line)
		}
		rule.literal, rule.pattern = line[:special], line[special:]
		rules = append(rules, rule)
	}
	return rules
}

// trimSpaces removes the spaces at the end of a line. A backslash keeps the space after it.
func trimSpaces(line string) string {
	end := 0
	for i := 0; i < len(line); i++ {
		if line[i] == ' ' {
			continue
		}
		if line[i] == '\\' {
			i++
		}
		end = min(i+1, len(line))
	}
	return line[:end]
}

// matches reports whether the rule matches a path below its base.
func (r ignoreRule) matches(subject string) bool {
	rest, found := strings.CutPrefix(subject, r.literal)
	if !found {
		return false
	}
	if r.pattern == "" {
		return rest == ""
	}
	return wildmatch.Match(r.pattern, rest)
}

// loadIgnore returns the given rules, followed by the rules of the ignore file in a directory. It
// does not change the caller's slice. A file that can't be read has no rules.
func loadIgnore(fsys fs.FS, directory, from string, rules []ignoreRule) []ignoreRule {
	f, err := fsys.Open(path.Join(directory, ignoreFile))
	if err != nil {
		return rules
	}
	defer f.Close()
	content, err := io.ReadAll(io.LimitReader(f, maxIgnoreFile))
	if err != nil {
		return rules
	}
	rules = append(rules[:len(rules):len(rules)], parseIgnore(directory, from, string(content))...)
	return rules[:min(len(rules), maxIgnoreRules)]
}

// ignoredAbove returns the rules of the ignore files in the parent directories of start, up to the
// mount.
func ignoredAbove(fsys fs.FS, start string) (rules []ignoreRule) {
	d := dirOf(fsys)
	full := d.full(start)
	m, _ := d.mountOf(full)
	for i := len(m.at); i < len(full); i++ {
		if full[i] != '/' {
			continue
		}
		from := ""
		if !path.IsAbs(start) {
			if below, ok := strings.CutPrefix(d.base, full[:i]+"/"); ok {
				from = below
			}
		}
		rules = loadIgnore(fsys, d.name(full[:i]), from, rules)
	}
	return rules
}

// ignored reports whether the last matching rule ignores name, which must be below the base of
// all rules.
func ignored(rules []ignoreRule, name string, directory bool) bool {
	for i := len(rules) - 1; i >= 0; i-- {
		rule := rules[i]
		if rule.directories && !directory {
			continue
		}
		subject := path.Base(name)
		switch {
		case rule.whole && rule.from != "":
			subject = rule.from + "/" + name
		case rule.whole:
			subject = Below(rule.base, name)
		}
		if rule.matches(subject) {
			return !rule.negated
		}
	}
	return false
}
