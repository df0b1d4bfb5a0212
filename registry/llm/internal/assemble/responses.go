package assemble

import (
	"cmp"
	"errors"
	"slices"
	"strconv"

	"github.com/wasmtool/wasmtool/internal/each"
	"github.com/wasmtool/wasmtool/internal/jsontree"
)

// responsesStream reads a stream of the Responses API, whose last event has the whole response.
type responsesStream struct {
	build
	response *jsontree.Value
	// items are the events that complete an item.
	items []*jsontree.Value
}

// Responses returns an assembler for the Responses API.
func Responses() Assembler { return &responsesStream{} }

func (s *responsesStream) add(event *jsontree.Value) error {
	switch event.Member("type").Text() {
	case "response.output_text.delta", "response.refusal.delta":
		s.text(event.Member("delta").Text())
	case "response.reasoning_summary_text.delta", "response.reasoning_text.delta":
		s.reasoning(event.Member("delta").Text())
	case "response.output_item.done":
		item := event.Member("item")
		if item == nil || event.Member("output_index") == nil {
			return errors.New("response.output_item.done has no item or no output_index")
		}
		s.size += len(item.JSON()) + valueBytes
		s.items = append(s.items, event)
		if item.Member("type").Text() == "function_call" {
			s.call(Call{ID: item.Member("call_id").Text(), Name: item.Member("name").Text(), Arguments: jsonOf(item, "arguments")})
		}
	case "response.completed", "response.incomplete":
		s.response = event.Member("response")
		if s.response == nil || s.response.Kind != jsontree.Object {
			return errors.New("the last event has no response")
		}
		s.complete, s.ended = true, true
	case "response.failed":
		return ProviderError(event.Member("response").Member("error"))
	}
	return nil
}

// body returns the response of the last event. Some servers leave the items out of it.
func (s *responsesStream) body() *jsontree.Value {
	if len(items(s.response.Member("output"))) > 0 || len(s.items) == 0 {
		return s.response
	}
	slices.SortStableFunc(s.items, func(a, b *jsontree.Value) int {
		return cmp.Compare(outputIndex(a), outputIndex(b))
	})
	output := jsontree.NewArray(each.Of(s.items, func(e *jsontree.Value) *jsontree.Value { return e.Member("item") })...)
	body := jsontree.NewObject()
	for i := range s.response.Members {
		if m := &s.response.Members[i]; m.Name != "output" {
			body.Add(m.Name, &m.Value)
		}
	}
	return body.Add("output", output)
}

// outputIndex returns the place of an item in the output, or 0 if it is not a number.
func outputIndex(event *jsontree.Value) int {
	n, err := strconv.Atoi(event.Member("output_index").Literal)
	if err != nil {
		return 0
	}
	return n
}
