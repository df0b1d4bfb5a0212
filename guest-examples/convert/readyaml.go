package convert

import (
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/wasmtool/wasmtool/guest-examples/internal/source"
	"github.com/wasmtool/wasmtool/guest-examples/internal/tree"
)

const (
	// maxYAML is how many bytes a text in YAML may have.
	maxYAML = 1 << 20
	// maxNodes is how many values there may be in YAML and TOML, whose libraries
	// need up to a thousand bytes for each.
	maxNodes = 60_000
	// maxExpanded is how many bytes the texts may have once what aliases name is
	// put in their place.
	maxExpanded = 2 * source.Max
)

// readYAML reads one document by the core schema of YAML 1.2, in which no and on
// are texts and dates too.
func readYAML(text string) (tree.Value, error) {
	if len(text) > maxYAML {
		return tree.Value{}, fmt.Errorf("it has %d bytes; the most in YAML is %d", len(text), maxYAML)
	}
	if marks(text) > 2*maxNodes {
		return tree.Value{}, errNodes
	}
	decoder := yaml.NewDecoder(strings.NewReader(text))
	var document, next yaml.Node
	if err := decoder.Decode(&document); errors.Is(err, io.EOF) {
		return tree.Value{}, nil // an empty document is null
	} else if err != nil {
		return tree.Value{}, plainYAML(err)
	}
	if err := decoder.Decode(&next); !errors.Is(err, io.EOF) {
		if err != nil {
			return tree.Value{}, plainYAML(err)
		}
		return tree.Value{}, errors.New("it holds more than one document; give one at a time")
	}
	if len(document.Content) != 1 {
		return tree.Value{}, nil
	}
	return (&yamlReader{}).value(document.Content[0], 0)
}

// marks returns how many marks there are that a value comes after, each but the
// first. In texts there are some too.
func marks(text string) int {
	n := 0
	for i := range len(text) {
		switch text[i] {
		case ',', '[', '{', '?', '-', ':':
			n++
		}
	}
	return n
}

var errNodes = fmt.Errorf("there are more than %d values, which is too much for this format; take a part, or use JSON", maxNodes)

// plainYAML takes the line breaks out of an error of the library.
func plainYAML(err error) error {
	return errors.New(strings.TrimPrefix(strings.Join(strings.Fields(err.Error()), " "), "yaml: "))
}

type yamlReader struct {
	values, bytes int // so far, with what aliases name
}

func (r *yamlReader) value(n *yaml.Node, depth int) (tree.Value, error) {
	r.values++
	r.bytes += len(n.Value)
	switch {
	case depth > tree.MaxDepth:
		return tree.Value{}, fmt.Errorf("line %d: %w", n.Line, tree.ErrDepth)
	case r.values > tree.MaxValues:
		return tree.Value{}, fmt.Errorf("line %d: with aliases, %w", n.Line, tree.ErrSize)
	case r.bytes > maxExpanded:
		return tree.Value{}, fmt.Errorf("line %d: with what aliases name, it is larger than %d bytes", n.Line, maxExpanded)
	}
	switch n.Kind {
	case yaml.AliasNode:
		return r.value(n.Alias, depth+1)
	case yaml.SequenceNode:
		if err := checkTag(n, "!!seq"); err != nil {
			return tree.Value{}, err
		}
		list := tree.Value{Kind: tree.List}
		for _, item := range n.Content {
			value, err := r.value(item, depth+1)
			if err != nil {
				return tree.Value{}, err
			}
			list.Items = append(list.Items, value)
		}
		return list, nil
	case yaml.MappingNode:
		return r.mapping(n, depth)
	}
	return scalar(n)
}

func (r *yamlReader) mapping(n *yaml.Node, depth int) (tree.Value, error) {
	if err := checkTag(n, "!!map"); err != nil {
		return tree.Value{}, err
	}
	var object tree.Builder
	var merged []tree.Value
	for i := 0; i+1 < len(n.Content); i += 2 {
		key := n.Content[i]
		for key.Kind == yaml.AliasNode {
			key = key.Alias
		}
		if key.Kind != yaml.ScalarNode {
			return tree.Value{}, fmt.Errorf("line %d: a key is a list or a mapping; keys must be texts", key.Line)
		}
		r.bytes += len(key.Value)
		value, err := r.value(n.Content[i+1], depth+1)
		if err != nil {
			return tree.Value{}, err
		}
		if key.Value == "<<" && isPlain(key) {
			merged = append(merged, value)
		} else if err := object.Add(key.Value, value); err != nil {
			return tree.Value{}, fmt.Errorf("line %d: %w", key.Line, err)
		}
	}
	for _, value := range merged {
		if err := merge(&object, value); err != nil {
			return tree.Value{}, fmt.Errorf("line %d: %w", n.Line, err)
		}
	}
	return object.Object(), nil
}

// merge adds the members of value, an object or a list of them, that object
// lacks, as the merge key << asks for.
func merge(object *tree.Builder, value tree.Value) error {
	switch value.Kind {
	case tree.List:
		for _, item := range value.Items {
			if item.Kind != tree.Object {
				return fmt.Errorf("<< names a list with a %s; it must hold mappings", item.Kind)
			}
			if err := merge(object, item); err != nil {
				return err
			}
		}
	case tree.Object:
		for _, member := range value.Members {
			if _, ok := object.Get(member.Name); ok {
				continue
			}
			if err := object.Add(member.Name, member.Value); err != nil {
				return err
			}
		}
	default:
		return fmt.Errorf("<< names a %s; it must be a mapping", value.Kind)
	}
	return nil
}

// checkTag reports an error if n has a tag of its own, which would be lost.
func checkTag(n *yaml.Node, want string) error {
	if n.Style&yaml.TaggedStyle == 0 || n.ShortTag() == want {
		return nil
	}
	return fmt.Errorf("line %d: the tag %.40q has no meaning outside of YAML; take it out", n.Line, n.Tag)
}

func isPlain(n *yaml.Node) bool {
	return n.Style&(yaml.SingleQuotedStyle|yaml.DoubleQuotedStyle|yaml.LiteralStyle|yaml.FoldedStyle|yaml.TaggedStyle) == 0
}

func scalar(n *yaml.Node) (tree.Value, error) {
	if isPlain(n) {
		value, err := plain(n.Value)
		if err != nil {
			return tree.Value{}, fmt.Errorf("line %d: %w", n.Line, err)
		}
		return value, nil
	}
	if n.Style&yaml.TaggedStyle == 0 {
		return tree.Text(n.Value), nil
	}
	kinds := map[string]tree.Kind{"!!null": tree.Null, "!!bool": tree.Bool, "!!int": tree.Number, "!!float": tree.Number}
	want, typed := kinds[n.ShortTag()]
	if !typed {
		// What !!binary and !!timestamp hold is text for others too.
		if tag := n.ShortTag(); tag != "!!binary" && tag != "!!timestamp" {
			return tree.Text(n.Value), checkTag(n, "!!str")
		}
		return tree.Text(n.Value), nil
	}
	value, err := plain(n.Value)
	if err == nil && value.Kind != want {
		err = fmt.Errorf("%.40q is not of the type %s", n.Value, n.ShortTag())
	}
	if err != nil {
		return tree.Value{}, fmt.Errorf("line %d: %w", n.Line, err)
	}
	return value, nil
}

// basedForm is a whole number in another base in the core schema.
var basedForm = regexp.MustCompile(`^(0o[0-7]+|0x[0-9a-fA-F]+)$`)

// plain resolves a scalar without quotes by the core schema.
func plain(text string) (tree.Value, error) {
	switch text {
	case "", "~", "null", "Null", "NULL":
		return tree.Value{}, nil
	case "true", "True", "TRUE", "false", "False", "FALSE":
		return tree.Value{Kind: tree.Bool, Text: strings.ToLower(text)}, nil
	}
	switch strings.ToLower(strings.TrimLeft(text, "+-")) {
	case ".inf", ".nan":
		return tree.Value{}, fmt.Errorf("%s is a number that other formats lack; write it as a text in quotes", text)
	}
	if literal, ok := decimal(text); ok {
		return tree.Value{Kind: tree.Number, Text: literal}, nil
	}
	if basedForm.MatchString(text) {
		literal, err := based(text)
		return tree.Value{Kind: tree.Number, Text: literal}, err
	}
	return tree.Text(text), nil
}
