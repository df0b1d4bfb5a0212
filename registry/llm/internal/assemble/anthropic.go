package assemble

import (
	"errors"
	"strings"

	"github.com/wasmtool/wasmtool/internal/jsontree"
)

// anthropicStream assembles a stream of the Messages API, which sends the message without content,
// then its blocks one by one, and then the fields of the message that changed.
type anthropicStream struct {
	build
	// open has the blocks that are not complete, by the literal of their index.
	open map[string]*growing
}

// Anthropic returns an assembler for the Messages API.
func Anthropic() Assembler { return &anthropicStream{open: map[string]*growing{}} }

func (s *anthropicStream) add(event *jsontree.Value) error {
	index := ""
	if v := event.Member("index"); v != nil {
		index = v.Literal
	}
	block := s.open[index]
	switch event.Member("type").Text() {
	case "message_start":
		s.message.setAll(event.Member("message"))
	case "content_block_start":
		start := event.Member("content_block")
		if start == nil || start.Kind != jsontree.Object || block != nil {
			return errors.New("content_block_start has no block, or its index is not new")
		}
		block = s.message.child("content").push()
		block.replace(start)
		s.open[index] = block
		s.showBlock(start)
	case "content_block_delta":
		delta := event.Member("delta")
		if block == nil || delta == nil {
			return errors.New("content_block_delta has no delta, or no block is open with its index")
		}
		addDelta(block, delta)
		s.showBlock(delta)
	case "content_block_stop":
		closeBlock(block)
		delete(s.open, index)
	case "message_delta":
		s.message.setAll(event.Member("delta"))
		s.message.setAll(event, "type", "delta", "usage")
		// The first event also has counts, which this one may lack.
		s.message.child("usage").setAll(event.Member("usage"))
	case "message_stop":
		for index := range s.open {
			return errors.New("message_stop came before the end of block " + index)
		}
		s.complete = true
		return errEnded
	}
	return nil // documented: other events may be added, such as ping
}

// addDelta adds the piece of a block. Except for its type, each field of a delta belongs to the
// field of the same name in the block; two have other names.
func addDelta(block *growing, delta *jsontree.Value) {
	for i := range delta.Members {
		switch m := &delta.Members[i]; m.Name {
		case "type":
		case "partial_json":
			if m.Value.Text() != "" { // the first piece replaces the empty object
				block.child("input").merge("arguments", &m.Value)
			}
		case "citation":
			block.child("citations").push().replace(&m.Value)
		default:
			block.child(m.Name).merge(m.Name, &m.Value)
		}
	}
}

// showBlock shows the text in a block or in a delta.
func (s *anthropicStream) showBlock(v *jsontree.Value) {
	s.showText(v.Member("text"), false)
	s.showText(v.Member("thinking"), true)
}

// closeBlock completes the input of a call, which is a string of JSON until then. Input that is not
// JSON stays a string.
func closeBlock(block *growing) {
	input := block.field("input")
	if input == nil || input.kind != jsontree.String {
		return
	}
	text := input.text()
	switch v, err := parse(text, "the input"); {
	case err == nil:
		input.replace(&v)
	case strings.TrimSpace(text) == "":
		input.replace(jsontree.NewObject())
	}
}
