package convert

import (
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/wasmtool/wasmtool/guest-examples/internal/jsonvalue"
	"github.com/wasmtool/wasmtool/guest-examples/internal/source"
)

const (
	// maxYAML limits the size of YAML, in bytes.
	maxYAML = 1 << 20
	// maxNodes limits the number of values in YAML and TOML, because the libraries use up to a
	// thousand bytes of memory for each value.
	maxNodes = 60_000
	// maxExpanded limits the total size of all strings, in bytes, after aliases are expanded.
	maxExpanded = 2 * source.Max
)

// readYAML reads one document according to the core schema of YAML 1.2, in which no, on and dates
// are strings.
func readYAML(text string) (jsonvalue.Value, error) {
	if len(text) > maxYAML {
		return jsonvalue.Value{}, fmt.Errorf("the data has %d bytes; the limit for YAML is %d", len(text), maxYAML)
	}
	if marks(text) > 2*maxNodes {
		return jsonvalue.Value{}, errNodes
	}
	text, err := withoutDirectives(text)
	if err != nil {
		return jsonvalue.Value{}, err
	}
	decoder := yaml.NewDecoder(strings.NewReader(text))
	var document, next yaml.Node
	if err := decoder.Decode(&document); errors.Is(err, io.EOF) {
		return jsonvalue.NewNull(), nil // an empty document is null
	} else if err != nil {
		return jsonvalue.Value{}, plainYAML(err)
	}
	if err := decoder.Decode(&next); !errors.Is(err, io.EOF) {
		if err != nil {
			return jsonvalue.Value{}, plainYAML(err)
		}
		return jsonvalue.Value{}, errors.New("the data has more than one document; give one document in each call")
	}
	if len(document.Content) != 1 {
		return jsonvalue.NewNull(), nil
	}
	return (&yamlReader{}).value(document.Content[0], 0)
}

// marks returns an upper bound for the number of values. It counts the characters that can precede
// a value, even inside strings. Only the first value can have no such character before it.
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

var errNodes = fmt.Errorf("the data has more than %d values, the limit for this format; convert a part, or use JSON", maxNodes)

// plainYAML returns an error of the library without line breaks.
func plainYAML(err error) error {
	return errors.New(strings.TrimPrefix(strings.Join(strings.Fields(err.Error()), " "), "yaml: "))
}

type yamlReader struct {
	values, bytes int // number of values and bytes so far, with expanded aliases
}

func (r *yamlReader) value(n *yaml.Node, depth int) (jsonvalue.Value, error) {
	r.values++
	r.bytes += len(n.Value)
	switch {
	case depth > jsonvalue.MaxDepth:
		return jsonvalue.Value{}, fmt.Errorf("line %d: %w", n.Line, jsonvalue.ErrDepth)
	case r.values > jsonvalue.MaxValues:
		return jsonvalue.Value{}, fmt.Errorf("line %d: after aliases are expanded, %w", n.Line, jsonvalue.ErrSize)
	case r.bytes > maxExpanded:
		return jsonvalue.Value{}, fmt.Errorf("line %d: after aliases are expanded, the data is larger than %d bytes", n.Line, maxExpanded)
	}
	switch n.Kind {
	case yaml.AliasNode:
		return r.value(n.Alias, depth+1)
	case yaml.SequenceNode:
		if err := checkTag(n, "!!seq"); err != nil {
			return jsonvalue.Value{}, err
		}
		items := make([]jsonvalue.Value, 0, len(n.Content))
		for _, item := range n.Content {
			value, err := r.value(item, depth+1)
			if err != nil {
				return jsonvalue.Value{}, err
			}
			items = append(items, value)
		}
		return jsonvalue.NewArray(items), nil
	case yaml.MappingNode:
		return r.mapping(n, depth)
	}
	return scalar(n)
}

func (r *yamlReader) mapping(n *yaml.Node, depth int) (jsonvalue.Value, error) {
	if err := checkTag(n, "!!map"); err != nil {
		return jsonvalue.Value{}, err
	}
	object := &jsonvalue.Members{}
	var merged []jsonvalue.Value
	for i := 0; i+1 < len(n.Content); i += 2 {
		key := n.Content[i]
		for key.Kind == yaml.AliasNode {
			key = key.Alias
		}
		if key.Kind != yaml.ScalarNode {
			return jsonvalue.Value{}, fmt.Errorf("line %d: a key is a sequence or a mapping; keys must be strings", key.Line)
		}
		r.bytes += len(key.Value)
		value, err := r.value(n.Content[i+1], depth+1)
		if err != nil {
			return jsonvalue.Value{}, err
		}
		if key.Value == "<<" && isPlain(key) {
			merged = append(merged, value)
		} else if err := object.Add(key.Value, value); err != nil {
			return jsonvalue.Value{}, fmt.Errorf("line %d: %w", key.Line, err)
		}
	}
	for _, value := range merged {
		if err := merge(object, value); err != nil {
			return jsonvalue.Value{}, fmt.Errorf("line %d: %w", n.Line, err)
		}
	}
	return jsonvalue.NewObject(object), nil
}

// merge implements the merge key <<. The parameter value must be an object or an array of objects.
// merge adds the members of these objects to object, and keeps the members that object already has.
func merge(object *jsonvalue.Members, value jsonvalue.Value) error {
	switch value.Kind() {
	case jsonvalue.Array:
		for _, item := range value.Items() {
			if item.Kind() != jsonvalue.Object {
				return fmt.Errorf("<< refers to a sequence with a value of type %s; all values must be mappings", item.Kind())
			}
			if err := merge(object, item); err != nil {
				return err
			}
		}
	case jsonvalue.Object:
		for name, member := range value.Members().All() {
			if _, ok := object.Get(name); ok {
				continue
			}
			if err := object.Add(name, member); err != nil {
				return err
			}
		}
	default:
		return fmt.Errorf("<< refers to a value of type %s; it must be a mapping", value.Kind())
	}
	return nil
}

// checkTag returns an error if n has a custom tag, because other formats can't represent it.
func checkTag(n *yaml.Node, want string) error {
	if n.Style&yaml.TaggedStyle == 0 || n.ShortTag() == want {
		return nil
	}
	return fmt.Errorf("line %d: the tag %.40q has no meaning outside YAML; remove it", n.Line, n.Tag)
}

func isPlain(n *yaml.Node) bool {
	return n.Style&(yaml.SingleQuotedStyle|yaml.DoubleQuotedStyle|yaml.LiteralStyle|yaml.FoldedStyle|yaml.TaggedStyle) == 0
}

func scalar(n *yaml.Node) (jsonvalue.Value, error) {
	if n.Tag == "!" { // makes any scalar a string
		return jsonvalue.NewString(n.Value), nil
	}
	if isPlain(n) {
		value, err := plain(n.Value)
		if err != nil {
			return jsonvalue.Value{}, fmt.Errorf("line %d: %w", n.Line, err)
		}
		return value, nil
	}
	if n.Style&yaml.TaggedStyle == 0 {
		return jsonvalue.NewString(n.Value), nil
	}
	kinds := map[string]jsonvalue.Kind{"!!null": jsonvalue.Null, "!!bool": jsonvalue.Bool, "!!int": jsonvalue.Number, "!!float": jsonvalue.Number}
	want, typed := kinds[n.ShortTag()]
	if !typed {
		// In the result, values with the tags !!binary and !!timestamp are strings.
		if tag := n.ShortTag(); tag != "!!binary" && tag != "!!timestamp" {
			return jsonvalue.NewString(n.Value), checkTag(n, "!!str")
		}
		return jsonvalue.NewString(n.Value), nil
	}
	value, err := plain(n.Value)
	if err == nil && value.Kind() != want {
		err = fmt.Errorf("%.40q is not of type %s", n.Value, n.ShortTag())
	}
	if err != nil {
		return jsonvalue.Value{}, fmt.Errorf("line %d: %w", n.Line, err)
	}
	return value, nil
}

// basedForm matches a whole number in base 8 or 16 of the core schema.
var basedForm = regexp.MustCompile(`^(0o[0-7]+|0x[0-9a-fA-F]+)$`)

// plain returns the value that an unquoted scalar has in the core schema.
func plain(text string) (jsonvalue.Value, error) {
	switch text {
	case "", "~", "null", "Null", "NULL":
		return jsonvalue.NewNull(), nil
	case "true", "True", "TRUE", "false", "False", "FALSE":
		return jsonvalue.NewBool(strings.EqualFold(text, "true")), nil
	}
	switch strings.ToLower(strings.TrimLeft(text, "+-")) {
	case ".inf", ".nan":
		return jsonvalue.Value{}, fmt.Errorf("%s is a number that other formats can't represent; write it as a string in quotes", text)
	}
	if literal, ok := decimal(text); ok {
		return jsonvalue.NewNumber(literal), nil
	}
	if basedForm.MatchString(text) {
		literal, err := based(text)
		return jsonvalue.NewNumber(literal), err
	}
	return jsonvalue.NewString(text), nil
}
