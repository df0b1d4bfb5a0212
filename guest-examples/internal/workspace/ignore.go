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
	// maxIgnoreFile is how many bytes of an ignore file count, and maxIgnoreRules how
	// many lines of all that hold in a folder: each is matched with each name.
	maxIgnoreFile  = 64 << 10
	maxIgnoreRules = 1000
)

// ignoreRule is a line of an ignore file.
type ignoreRule struct {
	base    string // the folder of the file
	glob    string
	whole   bool // matched with the path below base, not with the name
	folders bool // matches folders alone
	negated bool // takes back what rules before it say
}

// parseIgnore reads the rules of the ignore file of the folder base. Lines that are
// no pattern match nothing, as git has it.
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
		line, rule.folders = strings.CutSuffix(line, "/")
		rule.whole = strings.Contains(line, "/")
		// Braces mean themselves there.
		rule.glob = strings.NewReplacer("{", `\{`, "}", `\}`).Replace(strings.TrimPrefix(line, "/"))
		if rule.glob == "" || len(rule.glob) > maxPattern || !doublestar.ValidatePattern(rule.glob) {
			continue
		}
		rules = append(rules, rule)
	}
	return rules
}

// loadIgnore appends the rules of the ignore file of a folder to rules, of which the
// caller keeps its own part. One that can't be read has none.
func loadIgnore(fsys fs.FS, folder string, rules []ignoreRule) []ignoreRule {
	f, err := fsys.Open(path.Join(folder, ignoreFile))
	if err != nil {
		return rules
	}
	defer f.Close()
	content, err := io.ReadAll(io.LimitReader(f, maxIgnoreFile))
	if err != nil {
		return rules
	}
	rules = append(rules[:len(rules):len(rules)], parseIgnore(folder, string(content))...)
	return rules[:min(len(rules), maxIgnoreRules)]
}

// ignored reports whether the last of the rules that match says that name, which lies
// in the folder of all of them, is ignored.
func ignored(rules []ignoreRule, name string, folder bool) bool {
	for i := len(rules) - 1; i >= 0; i-- {
		rule := rules[i]
		if rule.folders && !folder {
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
