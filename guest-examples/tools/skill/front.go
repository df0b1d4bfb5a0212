package skill

import (
	"bytes"
	"fmt"

	"go.yaml.in/yaml/v4"
	"go.yaml.in/yaml/v4/plugin/loaderlimits"

	"github.com/wasmtool/wasmtool/guest-examples/internal/plain"
)

const (
	maxFront       = 8 << 10 // bytes of what is before the text
	maxDepth       = 20      // levels of it
	maxDescription = 1024    // characters
)

// front returns what stands before the text, of the first bytes of SKILL.md.
func front(content []byte, err error) (yaml []byte, fault string) {
	if err != nil {
		return nil, "SKILL.md cannot be read"
	}
	yaml, _, found := split(content)
	if !found || len(yaml) > maxFront {
		return nil, fmt.Sprintf("SKILL.md does not begin with a name and a description between lines of three hyphens, in at most %d bytes", maxFront)
	}
	return yaml, ""
}

// effort is what it takes to parse YAML, where a byte of text is 1: each value costs as much
// as 16 of them, and the beginning as 500.
func effort(yaml []byte) int {
	total := 500 + len(yaml)
	for _, c := range yaml {
		switch c { // what values come after
		case ',', '[', '{', '?', ':', '-', '*', '&', '\n':
			total += 16
		}
	}
	return total
}

// parse reads what stands before the text.
func parse(dir string, before []byte) (s skill, fault string) {
	var head struct {
		Name        string `yaml:"name"`
		Description string `yaml:"description"`
	}
	// Depth costs the parser much, and so do keys that are there again.
	shallow := yaml.WithPlugin(loaderlimits.New(loaderlimits.DepthValue(maxDepth)))
	if err := yaml.Load(before, &head, yaml.WithV3Defaults(), yaml.WithUniqueKeys(false), shallow); err != nil {
		return s, "what stands before the text of SKILL.md is no YAML with a name and a description"
	}
	s = skill{name: head.Name, description: plain.Line(head.Description, maxDescription), dir: dir}
	if s.name == "" {
		s.name = dir
	}
	if !namePattern.MatchString(s.name) {
		return s, "its name is not of letters, digits, dots, hyphens and underscores"
	}
	if s.description == "" {
		return s, "SKILL.md has no description"
	}
	return s, ""
}

// split parts the YAML between lines of three hyphens from the text; found tells whether there
// is any.
func split(content []byte) (front, text []byte, found bool) {
	content = bytes.TrimPrefix(content, []byte("\xef\xbb\xbf"))
	rest, found := cutLine(content, "---")
	if !found {
		return nil, content, false
	}
	for at := 0; at < len(rest); {
		if text, found := cutLine(rest[at:], "---"); found {
			return rest[:at], text, true
		}
		next := bytes.IndexByte(rest[at:], '\n')
		if next < 0 {
			break
		}
		at += next + 1
	}
	return nil, content, false
}

// cutLine returns what follows the first line, if it is that one.
func cutLine(content []byte, line string) (rest []byte, found bool) {
	first, rest, _ := bytes.Cut(content, []byte("\n"))
	return rest, string(bytes.TrimRight(first, "\r \t")) == line
}
