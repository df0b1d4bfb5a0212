package assemble

import (
	"errors"

	"github.com/wasmtool/wasmtool/internal/jsontree"
)

// responsesStream reads a stream of the Responses API, whose last event has the whole response.
type responsesStream struct{ build }

// Responses returns an assembler for the Responses API.
func Responses() Assembler { return &responsesStream{} }

func (s *responsesStream) add(event *jsontree.Value) error {
	switch event.Member("type").Text() {
	case "response.output_text.delta", "response.refusal.delta":
		s.showText(event.Member("delta"), false)
	case "response.reasoning_summary_text.delta", "response.reasoning_text.delta":
		s.showText(event.Member("delta"), true)
	case "response.output_item.done":
		item := event.Member("item")
		if item == nil {
			return errors.New("response.output_item.done has no item")
		}
		s.message.child("output").push().replace(item)
	case "response.completed", "response.incomplete":
		response := event.Member("response")
		if response == nil || response.Kind != jsontree.Object {
			return errors.New("the last event has no response")
		}
		// Some servers leave the items out of it; then those that arrived before stay.
		s.message.setAll(response)
		s.complete = true
		return errEnded
	case "response.failed":
		return ProviderError(event.Member("response").Member("error"))
	}
	return nil
}
