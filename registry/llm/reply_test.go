package llm_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/wasmtool/wasmtool/registry/llm"
)

// Arguments that are not an object are replaced in the message that goes back, because the APIs
// refuse them. The message stays otherwise as it came.
func TestMalformedCallGoesBackEmpty(t *testing.T) {
	t.Parallel()
	for format, message := range map[llm.Format]string{
		llm.OpenAI:          `{"role":"assistant","content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"weather","arguments":ARGS}},{"id":"b","type":"function","function":{"name":"move","arguments":"{\"to\":1}"}}]}`,
		llm.Mistral:         `{"role":"assistant","content":"","tool_calls":[{"id":"a","function":{"name":"weather","arguments":ARGS},"index":0},{"id":"b","function":{"name":"move","arguments":{"to":1}},"index":1}]}`,
		llm.OpenAIResponses: `[{"type":"reasoning","id":"r","encrypted_content":"e"},{"type":"function_call","call_id":"a","name":"weather","arguments":ARGS},{"type":"function_call","call_id":"b","name":"move","arguments":"{\"to\":1}"}]`,
		llm.Anthropic:       `{"role":"assistant","content":[{"type":"thinking","thinking":"t","signature":"s"},{"type":"tool_use","id":"a","name":"weather","input":ARGS},{"type":"tool_use","id":"b","name":"move","input":{"to":1}}]}`,
		llm.Gemini:          `{"role":"model","parts":[{"functionCall":{"name":"weather","args":ARGS},"thoughtSignature":"s"},{"functionCall":{"name":"move","args":{"to":1}}}]}`,
	} {
		tools := newTools(t, format, llm.Options{})
		empty := `{}`
		if format == llm.OpenAI || format == llm.OpenAIResponses || format == llm.Mistral {
			empty = `"{}"`
		}
		for _, arguments := range []string{`"{\"city\": \"Ro"`, `"city=Rome"`, `""`, `"[1]"`, `"null"`, `null`, `[{}]`, `5`} {
			sent := strings.Replace(message, "ARGS", arguments, 1)
			m, err := tools.Read([]byte(sent))
			if err != nil {
				t.Errorf("%s: %s: %v", format, sent, err)
				continue
			}
			m.Calls = nil // leaves only the model's own message
			var got []byte
			if own := tools.Reply(m, nil); format == llm.OpenAIResponses {
				got, err = json.Marshal(own)
			} else {
				got = own[0]
			}
			if want := strings.Replace(message, "ARGS", empty, 1); err != nil || compact(t, got) != want {
				t.Errorf("%s: arguments %s:\ngot  %s\nwant %s", format, arguments, got, want)
			}
		}
		valid := strings.Replace(message, "ARGS", `"{\"city\":\"Rome\"}"`, 1)
		if m, err := tools.Read([]byte(valid)); err != nil || string(m.Calls[0].Arguments) != `{"city":"Rome"}` {
			t.Errorf("%s: a string with an object gives %+v, %v", format, m.Calls, err)
		}
	}
}

// Each call has the text that the model wrote since the call before.
func TestTextBeforeACall(t *testing.T) {
	t.Parallel()
	for format, message := range map[llm.Format]string{
		llm.OpenAI:          `{"role":"assistant","content":"ab","tool_calls":[{"function":{"name":"weather","arguments":"{}"}},{"function":{"name":"move","arguments":"{}"}}]}`,
		llm.OpenAIResponses: `[{"type":"message","content":[{"text":"a"}]},{"type":"function_call","name":"weather"},{"type":"message","content":[{"text":"b"}]},{"type":"function_call","name":"move"}]`,
		llm.Anthropic:       `{"role":"assistant","content":[{"type":"text","text":"a"},{"type":"tool_use","name":"weather"},{"type":"text","text":"b"},{"type":"tool_use","name":"move"}]}`,
		llm.Gemini:          `{"parts":[{"text":"Hm.","thought":true},{"text":"a"},{"functionCall":{"name":"weather"}},{"text":"b"},{"functionCall":{"name":"move"}}]}`,
	} {
		m, err := newTools(t, format, llm.Options{}).Read([]byte(message))
		if err != nil || len(m.Calls) != 2 || m.Text != "ab" {
			t.Errorf("%s: got %+v, %v", format, m, err)
			continue
		}
		if got := m.Calls[0].Before + "|" + m.Calls[1].Before; got != "a|b" && (format != llm.OpenAI || got != "ab|") {
			t.Errorf("%s: got %q", format, got)
		}
	}
}

// A message says whether the model refused and whether it was cut off.
func TestMessageIsRefusedOrTruncated(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		format             llm.Format
		message            string
		refused, truncated bool
	}{
		{llm.OpenAI, `{"choices":[{"finish_reason":"stop","message":{"role":"assistant","content":"x"}}]}`, false, false},
		{llm.OpenAI, `{"choices":[{"finish_reason":"length","message":{"role":"assistant","content":"x"}}]}`, false, true},
		{llm.OpenAI, `{"choices":[{"finish_reason":"content_filter","message":{"role":"assistant","content":"x"}}]}`, true, false},
		{llm.OpenAI, `{"choices":[{"finish_reason":"stop","message":{"role":"assistant","content":null,"refusal":"x"}}]}`, true, false},
		{llm.Mistral, `{"choices":[{"finish_reason":"length","message":{"role":"assistant","content":"x"}}]}`, false, true},
		{llm.Mistral, `{"choices":[{"finish_reason":"model_length","message":{"role":"assistant","content":"x"}}]}`, false, true},
		{llm.OpenAIResponses, `{"status":"completed","incomplete_details":null,"output":[{"type":"message","content":[{"type":"output_text","text":"x"}]}]}`, false, false},
		{llm.OpenAIResponses, `{"status":"incomplete","incomplete_details":{"reason":"max_output_tokens"},"output":[{"type":"message","content":[{"type":"output_text","text":"x"}]}]}`, false, true},
		{llm.OpenAIResponses, `{"status":"incomplete","incomplete_details":{"reason":"content_filter"},"output":[{"type":"message","content":[{"type":"output_text","text":"x"}]}]}`, true, false},
		{llm.OpenAIResponses, `{"status":"completed","output":[{"type":"message","content":[{"type":"refusal","refusal":"x"}]}]}`, true, false},
		{llm.Anthropic, `{"role":"assistant","stop_reason":"end_turn","content":[{"type":"text","text":"x"}]}`, false, false},
		{llm.Anthropic, `{"role":"assistant","stop_reason":"max_tokens","content":[{"type":"text","text":"x"}]}`, false, true},
		{llm.Anthropic, `{"role":"assistant","stop_reason":"model_context_window_exceeded","content":[{"type":"text","text":"x"}]}`, false, true},
		{llm.Anthropic, `{"role":"assistant","stop_reason":"refusal","content":[{"type":"text","text":"x"}]}`, true, false},
		{llm.Gemini, `{"candidates":[{"finishReason":"STOP","content":{"role":"model","parts":[{"text":"x"}]}}]}`, false, false},
		{llm.Gemini, `{"candidates":[{"finishReason":"MAX_TOKENS","content":{"role":"model","parts":[{"text":"x"}]}}]}`, false, true},
		{llm.Gemini, `{"candidates":[{"finishReason":"SAFETY","content":{"role":"model","parts":[{"text":"x"}]}}]}`, true, false},
	} {
		m, err := newTools(t, test.format, llm.Options{}).Read([]byte(test.message))
		if err != nil || m.Text != "x" || m.Refused != test.refused || m.Truncated != test.truncated {
			t.Errorf("%s: got %+v, %v", test.message, m, err)
		}
	}
}

// The error for a message without an answer has the reason in fields.
func TestStopErrorHasTheReason(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 5000)
	for _, test := range []struct {
		message string
		want    llm.StopError
	}{
		{`{"promptFeedback":{"blockReason":"PROHIBITED_CONTENT","blockReasonMessage":"no\u202e"}}`, llm.StopError{Format: llm.Gemini, Reason: "PROHIBITED_CONTENT", Details: `no\u202e`, Refused: true}},
		{`{"candidates":[{"finishReason":"SAFETY"}]}`, llm.StopError{Format: llm.Gemini, Reason: "SAFETY", Refused: true}},
		{`{"candidates":[{"finishReason":"MAX_TOKENS"}]}`, llm.StopError{Format: llm.Gemini, Reason: "MAX_TOKENS"}},
		{`{"choices":[{"finish_reason":"content_filter","message":{"role":"assistant","content":null}}]}`, llm.StopError{Format: llm.OpenAI, Reason: "content_filter", Refused: true}},
		{`{"choices":[{"finish_reason":"length","message":{"role":"assistant","content":""}}]}`, llm.StopError{Format: llm.Mistral, Reason: "length"}},
		{`{"status":"incomplete","incomplete_details":{"reason":"max_output_tokens"},"output":[]}`, llm.StopError{Format: llm.OpenAIResponses, Reason: "max_output_tokens"}},
		{`{"role":"assistant","stop_reason":"refusal","content":[]}`, llm.StopError{Format: llm.Anthropic, Reason: "refusal", Refused: true}},
		{`{"role":"assistant","stop_reason":"` + long + `","content":[]}`, llm.StopError{Format: llm.Anthropic, Reason: long[:300] + "..."}},
	} {
		_, err := newTools(t, test.want.Format, llm.Options{}).Read([]byte(test.message))
		var stop *llm.StopError
		if !errors.As(err, &stop) || *stop != test.want {
			t.Errorf("%.100s: got %#v, want %#v", test.message, stop, test.want)
		}
	}
}

// A call that the limit on tokens cut off is not made, unless its arguments are complete. Empty
// arguments are not: the model had no tokens left to write them.
func TestCutCallHasAProblem(t *testing.T) {
	t.Parallel()
	for format, message := range map[llm.Format]string{
		llm.OpenAI:          `{"choices":[{"finish_reason":"length","message":{"role":"assistant","content":null,"tool_calls":[{"id":"a","function":{"name":"weather","arguments":ARGS}}]}}]}`,
		llm.Mistral:         `{"choices":[{"finish_reason":"length","message":{"role":"assistant","content":"","tool_calls":[{"id":"a","function":{"name":"weather","arguments":ARGS}}]}}]}`,
		llm.OpenAIResponses: `{"status":"incomplete","incomplete_details":{"reason":"max_output_tokens"},"output":[{"type":"function_call","call_id":"a","name":"weather","arguments":ARGS}]}`,
		llm.Anthropic:       `{"role":"assistant","stop_reason":"max_tokens","content":[{"type":"tool_use","id":"a","name":"weather","input":ARGS}]}`,
		llm.Gemini:          `{"candidates":[{"finishReason":"MAX_TOKENS","content":{"role":"model","parts":[{"functionCall":{"name":"weather","args":ARGS}}]}}]}`,
	} {
		for arguments, cut := range map[string]bool{`"{\"city\": \"Ro"`: true, `""`: true, `null`: true, `"{\"city\":\"Rome\"}"`: false} {
			m, err := newTools(t, format, llm.Options{}).Read([]byte(strings.Replace(message, "ARGS", arguments, 1)))
			if err != nil || !m.Truncated || len(m.Calls) != 1 {
				t.Errorf("%s: got %+v, %v", format, m, err)
				continue
			}
			if problem := m.Calls[0].Problem; strings.Contains(problem, "limit on output tokens") != cut || (problem != "") != cut {
				t.Errorf("%s: arguments %s: the problem is %q", format, arguments, problem)
			}
		}
	}
}
