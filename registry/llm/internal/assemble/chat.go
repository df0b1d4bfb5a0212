package assemble

import (
	"cmp"
	"errors"
	"slices"

	"github.com/wasmtool/wasmtool/internal/jsontree"
)

// chatStream assembles a stream of the Chat Completions API, whose events are pieces of a response.
// It reads the first choice only, as package llm does.
type chatStream struct {
	build
	withIndex bool
	choice    *growing
}

// Chat returns an assembler for the Chat Completions API. withIndex is set if calls also have an
// index in a response without streaming, as in Mistral's API.
func Chat(withIndex bool) Assembler {
	s := &chatStream{withIndex: withIndex}
	s.choice = s.message.child("choices").push()
	s.choice.child("message").child("content") // null if there is none
	return s
}

func (s *chatStream) add(event *jsontree.Value) error {
	s.message.setAll(event, "choices")
	choice := first(event.Member("choices"))
	if choice == nil {
		return nil
	}
	// Some servers repeat the message so far, as the field message.
	s.choice.setAll(choice, "delta", "logprobs", "message")
	if v := choice.Member("logprobs"); v != nil {
		s.choice.child("logprobs").merge("logprobs", v)
	}
	if delta := choice.Member("delta"); delta != nil {
		if delta.Kind != jsontree.Object {
			return errors.New("a delta is not an object")
		}
		s.choice.child("message").merge("message", delta)
		// Servers that send both fields of the reasoning send the same text.
		reasoning := cmp.Or(delta.Member("reasoning_content").Text(), delta.Member("reasoning").Text())
		s.showText(jsontree.NewString(reasoning), true)
		s.showText(delta.Member("content"), false)
		s.showText(delta.Member("refusal"), false)
	}
	reason := choice.Member("finish_reason").Text()
	if reason == "error" {
		return errors.New("the provider ended the message because of an error")
	}
	s.complete = s.complete || reason != ""
	return nil
}

func (s *chatStream) body() *jsontree.Value {
	s.message.set("object", jsontree.NewString("chat.completion"))
	s.choice.child("message").set("role", jsontree.NewString("assistant"))
	body := s.message.value()
	message := body.At([]string{"choices", "0", "message"})
	// Some servers send these fields in each event. The API refuses them in a request.
	message.Members = slices.DeleteFunc(message.Members, func(m jsontree.Member) bool {
		return isEmpty(&m.Value) && m.Name != "content" && m.Name != "refusal"
	})
	if calls := message.Member("tool_calls").List(); !s.withIndex {
		for i := range calls { // the index exists in streams only
			calls[i].Members = slices.DeleteFunc(calls[i].Members, func(m jsontree.Member) bool { return m.Name == "index" })
		}
	}
	return body
}
