package workspace

import (
	"io"
	"io/fs"
	"path"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
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
	base        string // directory of the ignore file
	glob        string
	whole       bool // match the path below base instead of the name
	directories bool // match only directories
	negated     bool // an exception to earlier rules
}

// parseIgnore parses the rules of the ignore file in the directory base. Like git, it ignores
// lines that are not patterns.
func parseIgnore(base, content string) []ignoreRule {
	var rules []ignoreRule
	for line := range strings.Lines(content) {
		line = strings.TrimRight(line, "\r\n")
		if !strings.HasSuffix(line, `\ `) {
			line = strings.TrimRight(line, " ")
		}
		if line == "" || line[0] == '#' {
			continue
		}
		rule := ignoreRule{base: base}
		line, rule.negated = strings.CutPrefix(line, "!")
		line, rule.directories = strings.CutSuffix(line, "/")
		rule.whole = strings.Contains(line, "/")
		// Braces have no special meaning in ignore files.
		rule.glob = strings.NewReplacer("{", `\{`, "}", `\}`).Replace(strings.TrimPrefix(line, "/"))
		if rule.glob == "" || len(rule.glob) > maxPattern || !doublestar.ValidatePattern(rule.glob) {
			continue
		}
		rules = append(rules, rule)
	}
	return rules
}

// loadIgnore returns rules followed by the rules of the ignore file in a directory. It does not
// change the caller's rules. A file that can't be read has no rules.
func loadIgnore(fsys fs.FS, directory string, rules []ignoreRule) []ignoreRule {
	f, err := fsys.Open(path.Join(directory, ignoreFile))
	if err != nil {
		return rules
	}
	defer f.Close()
	content, err := io.ReadAll(io.LimitReader(f, maxIgnoreFile))
	if err != nil {
		return rules
	}
	rules = append(rules[:len(rules):len(rules)], parseIgnore(directory, string(content))...)
	return rules[:min(len(rules), maxIgnoreRules)]
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
		if rule.whole {
			subject = Below(rule.base, name)
		}
		if doublestar.MatchUnvalidated(rule.glob, subject) {
			return !rule.negated
		}
	}
	return false
}
