package assemble

import (
	"encoding/json"
	"errors"
	"strings"

	"github.com/wasmtool/wasmtool/internal/jsontree"
)

// anthropicStream assembles a stream of the Messages API, which sends the message without content,
// then its blocks one by one, and then the fields of the message that changed.
type anthropicStream struct {
	build
	message growing
	// open has the blocks that are not complete, by the literal of their index.
	open map[string]*openBlock
}

// openBlock is a block of which pieces arrive.
type openBlock struct {
	*growing
	input growing // a string: the pieces of the field "input"
}

// Anthropic returns an assembler for the Messages API.
func Anthropic() Assembler { return &anthropicStream{open: map[string]*openBlock{}} }

func (s *anthropicStream) add(event *jsontree.Value) error {
	index := ""
	if v := event.Member("index"); v != nil {
		index = v.Literal
	}
	switch event.Member("type").Text() {
	case "message_start":
		s.setAll(&s.message, event.Member("message"))
	case "content_block_start":
		block := event.Member("content_block")
		if block == nil || block.Kind != jsontree.Object || s.open[index] != nil {
			return errors.New("content_block_start has no block, or its index is not new")
		}
		s.open[index] = &openBlock{growing: s.push(s.child(&s.message, "content"))}
		s.setAll(s.open[index].growing, block)
		s.show(block)
	case "content_block_delta":
		block, delta := s.open[index], event.Member("delta")
		if block == nil || delta == nil {
			return errors.New("content_block_delta has no delta, or no block is open with its index")
		}
		s.addDelta(block, delta)
		s.show(delta)
	case "content_block_stop":
		s.close(index)
	case "message_delta":
		s.setAll(&s.message, event.Member("delta"))
		for i := range event.Members {
			switch m := &event.Members[i]; m.Name {
			case "type", "delta":
			case "usage": // the first event also has counts, which this one may lack
				s.setAll(s.child(&s.message, m.Name), &m.Value)
			default:
				s.set(&s.message, m.Name, &m.Value)
			}
		}
	case "message_stop":
		for index := range s.open {
			return errors.New("message_stop came before the end of block " + index)
		}
		s.complete, s.ended = true, true
	}
	return nil // documented: other events may be added, such as ping
}

// setAll sets all fields of an object.
func (s *anthropicStream) setAll(g *growing, fields *jsontree.Value) {
	if fields == nil {
		return
	}
	for i := range fields.Members {
		s.set(g, fields.Members[i].Name, &fields.Members[i].Value)
	}
}

// addDelta adds the piece of a block. Except for its type, each field of a delta belongs to the
// field of the same name in the block; two have other names.
func (s *anthropicStream) addDelta(block *openBlock, delta *jsontree.Value) {
	for i := range delta.Members {
		switch m := &delta.Members[i]; m.Name {
		case "type":
		case "partial_json":
			s.merge(&block.input, "text", &m.Value)
		case "citation":
			list := s.child(block.growing, "citations")
			s.replace(s.push(list), &m.Value)
		case "signature":
			s.set(block.growing, m.Name, &m.Value)
		default:
			s.merge(s.child(block.growing, m.Name), m.Name, &m.Value)
		}
	}
}

// show shows the text in a block or in a delta.
func (s *anthropicStream) show(v *jsontree.Value) {
	s.text(v.Member("text").Text())
	s.reasoning(v.Member("thinking").Text())
}

// close completes a block. Input that is not JSON stays a string.
func (s *anthropicStream) close(index string) {
	block := s.open[index]
	if block == nil {
		return
	}
	delete(s.open, index)
	if text := block.input.text(); strings.TrimSpace(text) != "" {
		input := jsontree.NewRaw([]byte(text))
		if !json.Valid([]byte(text)) {
			input = jsontree.NewString(text)
		}
		s.set(block.growing, "input", input)
	}
	if block.field("type").text() == "tool_use" {
		input := s.child(block.growing, "input").value().JSON()
		s.call(Call{ID: block.field("id").text(), Name: block.field("name").text(), Arguments: input})
	}
}

func (s *anthropicStream) body() *jsontree.Value { return s.message.value() }
