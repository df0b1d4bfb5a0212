package skill

import (
	"bytes"
	"fmt"

	"go.yaml.in/yaml/v4"
	"go.yaml.in/yaml/v4/plugin/loaderlimits"

	"github.com/wasmtool/wasmtool/guest-examples/internal/plain"
)

const (
	maxFront       = 8 << 10 // maximum length of the front matter, in bytes
	maxDepth       = 20      // maximum nesting of values in the front matter
	maxDescription = 1024    // characters
)

// front returns the front matter. content is the beginning of SKILL.md, and err the error of
// reading it.
func front(content []byte, err error) (yaml []byte, problem string) {
	if err != nil {
		return nil, "SKILL.md can't be read or does not exist"
	}
	yaml, _, found := split(content)
	if !found || len(yaml) > maxFront {
		return nil, fmt.Sprintf("SKILL.md must begin with a name and a description between lines of three hyphens, in at most %d bytes", maxFront)
	}
	return yaml, ""
}

// effort estimates the work of parsing YAML. The unit is about the work for one byte: 500 for the
// start, 1 for each byte, and 16 more for each value.
func effort(yaml []byte) int {
	total := 500 + len(yaml)
	for _, c := range yaml {
		switch c { // count the characters that can precede a value
		case ',', '[', '{', '?', ':', '-', '*', '&', '\n':
			total += 16
		}
	}
	return total
}

// parse parses the front matter.
func parse(dir string, before []byte) (s skill, problem string) {
	var head struct {
		Name        string `yaml:"name"`
		Description string `yaml:"description"`
	}
	// The parser needs much time for deep nesting and for duplicate keys.
	shallow := yaml.WithPlugin(loaderlimits.New(loaderlimits.DepthValue(maxDepth)))
	name, description := "", ""
	notYAML := yaml.Load(before, &head, yaml.WithV3Defaults(), yaml.WithUniqueKeys(false), shallow)
	if notYAML == nil {
		name, description = head.Name, head.Description
	} else {
		name, description = byLines(string(before))
	}
	s = skill{name: name, description: plain.Line(description, maxDescription), dir: dir}
	if s.name == "" {
		s.name = dir
	}
	if !namePattern.MatchString(s.name) {
		return s, "the name of the skill may contain only letters, digits, dots, hyphens and underscores"
	}
	switch {
	case s.description == "" && notYAML != nil:
		return s, "the front matter of SKILL.md must be YAML with a name and a description"
	case s.description == "":
		return s, "SKILL.md has no description in its front matter"
	}
	return s, ""
}

// split separates the front matter, which is between lines of three hyphens, from the rest. found
// reports whether content has front matter.
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

// cutLine removes the first line of content if it equals line.
func cutLine(content []byte, line string) (rest []byte, found bool) {
	first, rest, _ := bytes.Cut(content, []byte("\n"))
	return rest, string(bytes.TrimRight(first, "\r \t")) == line
}
