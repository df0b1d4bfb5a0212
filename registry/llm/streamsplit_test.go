package llm_test

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/wasmtool/wasmtool/registry/llm"
)

// splitTexts returns a stream in which each text arrives in single characters, in as many events.
// All other fields of an event are repeated.
func splitTexts(t *testing.T, events []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	for line := range bytes.Lines(events) {
		data, ok := bytes.CutPrefix(line, []byte("data: {"))
		if !ok {
			out.Write(line)
			continue
		}
		var event map[string]any
		if err := json.Unmarshal(append([]byte("{"), data...), &event); err != nil {
			t.Fatal(err)
		}
		holder, name := growingText(event)
		pieces := []string{""}
		if holder != nil {
			pieces = strings.Split(holder[name].(string), "")
		}
		for i, piece := range pieces {
			if holder != nil {
				holder[name] = piece
			}
			text, err := json.Marshal(event)
			if err != nil {
				t.Fatal(err)
			}
			if i > 0 {
				out.WriteString("\n")
			}
			out.WriteString("data: " + string(text) + "\n")
		}
	}
	return out.Bytes()
}

// growingText returns the only text of an event that may be cut anywhere, as a field of an object.
// A text with a signature must not be cut.
func growingText(v any) (holder map[string]any, name string) {
	switch v := v.(type) {
	case []any:
		for _, one := range v {
			if holder, name = growingText(one); holder != nil {
				return holder, name
			}
		}
	case map[string]any:
		if v["thoughtSignature"] != nil {
			return nil, ""
		}
		for _, name := range []string{"content", "refusal", "reasoning_content", "arguments", "text", "thinking", "partial_json"} {
			if text, ok := v[name].(string); ok && text != "" {
				return v, name
			}
		}
		for _, name := range []string{"choices", "candidates", "delta", "content", "parts", "thinking", "tool_calls", "function"} {
			if holder, found := growingText(v[name]); holder != nil {
				return holder, found
			}
		}
	}
	return nil, ""
}

// How a server cuts the texts of a message does not matter.
func TestTextsMayBeCutAnywhere(t *testing.T) {
	t.Parallel()
	skipped := []string{
		// Events that also have other content.
		"openai-logprobs", "openai-reasoning-details", "openai-unknown-fields", "openai-whole-lists",
		// Events with two texts.
		"openai-calls-in-one-delta", "mistral-calls",
		// A name that is repeated begins another call.
		"openai-no-ids",
	}
	for _, s := range streams(t) {
		if s.body == nil || s.format == llm.OpenAIResponses || slices.Contains(skipped, s.name) {
			continue // the last event of the Responses API has the whole message
		}
		events := splitTexts(t, s.events)
		got, chunks := readStream(t, s.format, bytes.NewReader(events))
		if got.err != nil || !sameJSON(t, got.end.Body, s.body) {
			t.Errorf("%s: %v\ngot  %+v\nwant %s", s.name, got.err, got.end, s.body)
		}
		if _, whole := readStream(t, s.format, bytes.NewReader(s.events)); got.text != "" && len(chunks) <= len(whole) {
			t.Errorf("%s: nothing was cut", s.name)
		}
	}
}
