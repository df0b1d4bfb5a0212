package convert

import (
	"bytes"
	"errors"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/wasmtool/wasmtool/guest-examples/internal/jsonvalue"
)

// writeYAML writes the value as a document that means the same in YAML 1.1 and 1.2.
func writeYAML(value jsonvalue.Value) ([]byte, error) {
	if count(value) > maxNodes {
		return nil, errNodes
	}
	out := capped{left: MaxOutput}
	encoder := yaml.NewEncoder(&out)
	encoder.SetIndent(2)
	err := encoder.Encode(yamlNode(value))
	if err == nil {
		err = encoder.Close()
	}
	if out.left < 0 {
		return nil, errTooMuch
	}
	if err != nil {
		return nil, plainYAML(err)
	}
	return out.Bytes(), nil
}

// count returns the total number of values and member names in value.
func count(value jsonvalue.Value) int {
	n := 1
	for _, item := range value.Items() {
		n += count(item)
	}
	for _, member := range value.Members().All() {
		n += 1 + count(member)
	}
	return n
}

// capped is a writer that returns an error after a limited number of bytes.
type capped struct {
	bytes.Buffer
	left int
}

var errCapped = errors.New("too large")

func (c *capped) Write(data []byte) (int, error) {
	if c.left -= len(data); c.left < 0 {
		return 0, errCapped
	}
	return c.Buffer.Write(data)
}

func yamlNode(value jsonvalue.Value) *yaml.Node {
	switch value.Kind() {
	case jsonvalue.Array:
		n := &yaml.Node{Kind: yaml.SequenceNode}
		for _, item := range value.Items() {
			n.Content = append(n.Content, yamlNode(item))
		}
		return n
	case jsonvalue.Object:
		n := &yaml.Node{Kind: yaml.MappingNode}
		for name, member := range value.Members().All() {
			n.Content = append(n.Content, yamlText(name), yamlNode(member))
		}
		return n
	case jsonvalue.String:
		return yamlText(value.Text())
	case jsonvalue.Null:
		return &yaml.Node{Kind: yaml.ScalarNode, Value: "null"}
	}
	return &yaml.Node{Kind: yaml.ScalarNode, Value: value.Text()}
}

// yamlText returns a scalar for the string. It quotes a string that a reader could interpret as
// another type.
func yamlText(text string) *yaml.Node {
	n := &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: text}
	resolved, err := plain(text)
	switch {
	case strings.Contains(strings.TrimSpace(text), "\n") && !strings.ContainsFunc(text, unusual) && text[0] > ' ':
		n.Style = yaml.LiteralStyle
	case err != nil || resolved.Kind() != jsonvalue.String || text == "<<" || strings.ContainsFunc(text, unusual) || odd(text):
		n.Style = yaml.DoubleQuotedStyle
	}
	return n
}

// unusual reports whether a string that contains r must be quoted.
func unusual(r rune) bool {
	return r < ' ' && r != '\n' || r == 0x7f || r == 0x85 || r == 0x2028 || r == 0x2029 || r == 0xfeff || r == 0xfffd
}

// odd reports whether YAML 1.1 interprets the string, or its beginning, as a boolean, number or
// time.
func odd(text string) bool {
	switch strings.ToLower(text) {
	case "y", "n", "yes", "no", "on", "off":
		return true
	}
	return strings.ContainsAny(text[:1], "0123456789+-.=") || strings.Contains(text, "\n")
}
