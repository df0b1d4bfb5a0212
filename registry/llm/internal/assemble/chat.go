package assemble

import (
	"errors"
	"slices"

	"github.com/wasmtool/wasmtool/internal/jsontree"
)

// chatStream assembles a stream of the Chat Completions API, whose events are pieces of a response.
// It reads the first choice only, as package llm does.
type chatStream struct {
	build
	withIndex            bool
	top, choice, message growing
}

// Chat returns an assembler for the Chat Completions API. withIndex is set if calls also have an
// index in a response without streaming, as in Mistral's API.
func Chat(withIndex bool) Assembler { return &chatStream{withIndex: withIndex} }

func (s *chatStream) add(event *jsontree.Value) error {
	for i := range event.Members {
		if m := &event.Members[i]; m.Name != "choices" {
			s.set(&s.top, m.Name, &m.Value)
		}
	}
	choices := items(event.Member("choices"))
	for i := range choices {
		if index := choices[i].Member("index"); !index.IsNull() && index.Literal != "0" {
			continue
		}
		if err := s.addChoice(&choices[i]); err != nil {
			return err
		}
	}
	return nil
}

func (s *chatStream) addChoice(choice *jsontree.Value) error {
	for i := range choice.Members {
		switch m := &choice.Members[i]; m.Name {
		case "delta":
			if m.Value.Kind != jsontree.Object {
				return errors.New("a delta is not an object")
			}
			s.show(&m.Value)
			s.merge(&s.message, "", &m.Value)
		case "logprobs":
			s.merge(s.child(&s.choice, m.Name), m.Name, &m.Value)
		case "message": // some servers repeat the message so far
		default:
			s.set(&s.choice, m.Name, &m.Value)
		}
	}
	switch reason := choice.Member("finish_reason").Text(); reason {
	case "":
	case "error":
		return errors.New("the provider ended the message because of an error")
	default:
		s.complete = true
	}
	return nil
}

// show shows a piece of the message.
func (s *chatStream) show(delta *jsontree.Value) {
	reasoning := delta.Member("reasoning_content").Text()
	if reasoning == "" { // servers that send both fields send the same text
		reasoning = delta.Member("reasoning").Text()
	}
	s.reasoning(reasoning)
	content := delta.Member("content")
	s.text(content.Text())
	parts := items(content)
	for i := range parts {
		s.text(parts[i].Member("text").Text())
		thoughts := items(parts[i].Member("thinking"))
		for j := range thoughts {
			s.reasoning(thoughts[j].Member("text").Text())
		}
	}
	s.text(delta.Member("refusal").Text())
}

func (s *chatStream) body() *jsontree.Value {
	s.message.kind, s.choice.kind, s.top.kind = jsontree.Object, jsontree.Object, jsontree.Object
	if s.message.field("role").text() == "" {
		s.set(&s.message, "role", jsontree.NewString("assistant"))
	}
	s.child(&s.message, "content") // null if there is none
	message := s.message.value()
	// Some servers send these fields in each event. The API refuses them in a request.
	message.Members = slices.DeleteFunc(message.Members, func(m jsontree.Member) bool {
		empty := m.Value.IsNull() || m.Value.Kind == jsontree.Array && len(m.Value.Items) == 0
		return empty && m.Name != "content" && m.Name != "refusal"
	})
	if calls := message.Member("tool_calls"); !s.withIndex {
		for i := range items(calls) { // the index exists in streams only
			calls.Items[i].Members = slices.DeleteFunc(calls.Items[i].Members, func(m jsontree.Member) bool { return m.Name == "index" })
		}
	}
	s.set(&s.top, "object", jsontree.NewString("chat.completion"))
	return s.top.value().Add("choices", jsontree.NewArray(s.choice.value().Add("message", message)))
}
