package llm_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/wasmtool/wasmtool/internal/jsontree"
	"github.com/wasmtool/wasmtool/internal/testlevel"
	"github.com/wasmtool/wasmtool/registry/llm"
)

// stream is a stream of testdata/streams. Its name begins with its format.
type stream struct {
	name   string
	format llm.Format
	events []byte
	// body is the response without streaming, and nil if the stream reports an error.
	body []byte
}

func streams(t testing.TB) []stream {
	t.Helper()
	paths, err := filepath.Glob("testdata/streams/*.sse")
	if err != nil || len(paths) == 0 {
		t.Fatal("no streams", err)
	}
	var all []stream
	for _, path := range paths {
		s := stream{name: strings.TrimSuffix(filepath.Base(path), ".sse")}
		for _, format := range llm.Formats() {
			if strings.HasPrefix(s.name, string(format)) { // the longest of two is listed last
				s.format = format
			}
		}
		if s.events, err = os.ReadFile(path); err != nil {
			t.Fatal(err)
		}
		if !bytes.HasPrefix(s.events, []byte(": written from https://")) && !bytes.HasPrefix(s.events, []byte(": recorded ")) {
			t.Errorf("%s: the first line must be a comment with the origin of the stream", path)
		}
		s.body, err = os.ReadFile(strings.TrimSuffix(path, ".sse") + ".json")
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			t.Fatal(err)
		}
		all = append(all, s)
	}
	return all
}

// result is what a stream yielded.
type result struct {
	text, reasoning string
	calls           []llm.Call
	end             *llm.Response
	err             error
}

// readStream reads a stream and checks the rules for its chunks: each has one field, and End or an
// error is the last.
func readStream(t testing.TB, format llm.Format, body io.Reader) (r result, chunks []llm.Chunk) {
	t.Helper()
	for chunk, err := range llm.ReadStream(format, body) {
		if r.end != nil || r.err != nil {
			t.Error("a chunk follows the end")
		}
		if r.err = err; err != nil {
			if chunk != (llm.Chunk{}) {
				t.Errorf("an error comes with the chunk %+v", chunk)
			}
			continue
		}
		fields := 0
		for _, set := range []bool{chunk.Text != "", chunk.Reasoning != "", chunk.Call != nil, chunk.End != nil} {
			if set {
				fields++
			}
		}
		if fields != 1 {
			t.Errorf("a chunk has %d fields: %+v", fields, chunk)
		}
		r.text += chunk.Text
		r.reasoning += chunk.Reasoning
		if chunk.Call != nil {
			r.calls = append(r.calls, *chunk.Call)
		}
		r.end = chunk.End
		chunks = append(chunks, chunk)
	}
	if (r.end == nil) == (r.err == nil) {
		t.Errorf("a stream ended with %v and the error %v", r.end, r.err)
	}
	if r.end != nil && !json.Valid(r.end.Body) {
		t.Errorf("the body is not JSON: %q", r.end.Body)
	}
	return r, chunks
}

// sameJSON reports whether two documents are equal, except for the order of fields.
func sameJSON(t testing.TB, a, b []byte) bool {
	t.Helper()
	var x, y any
	if err := errors.Join(json.Unmarshal(a, &x), json.Unmarshal(b, &y)); err != nil {
		t.Fatal(err)
	}
	return reflect.DeepEqual(x, y)
}

// A stream gives the body of the response without streaming, and its chunks show what is in it.
func TestStreamGivesTheWholeBody(t *testing.T) {
	t.Parallel()
	for _, s := range streams(t) {
		if s.body == nil {
			continue
		}
		got, _ := readStream(t, s.format, bytes.NewReader(s.events))
		if got.err != nil {
			t.Errorf("%s: %v", s.name, got.err)
			continue
		}
		if !sameJSON(t, got.end.Body, s.body) {
			t.Errorf("%s:\ngot  %s\nwant %s", s.name, got.end.Body, compact(t, s.body))
		}
		m, err := newTools(t, s.format, llm.Options{}).Read(got.end.Body)
		if stop := (*llm.StopError)(nil); err != nil && !errors.As(err, &stop) {
			t.Errorf("%s: %v", s.name, err)
		}
		if got.text != m.Text {
			t.Errorf("%s: the text is %q in chunks and %q in the message", s.name, got.text, m.Text)
		}
		if len(got.calls) != len(m.Calls) {
			t.Errorf("%s: the chunks have the calls %+v, the message %+v", s.name, got.calls, m.Calls)
			continue
		}
		for i, c := range got.calls {
			if c.ID != m.Calls[i].ID || c.Name != m.Calls[i].Name || string(c.Arguments) != string(m.Calls[i].Arguments) {
				t.Errorf("%s: the chunks have the call %+v, the message %+v", s.name, c, m.Calls[i])
			}
		}
	}
}

// The message that goes back to the provider is the message that came, with all signatures.
func TestStreamedMessageGoesBackUnchanged(t *testing.T) {
	t.Parallel()
	for _, s := range streams(t) {
		if s.body == nil || strings.Contains(s.name, "truncated-arguments") {
			continue // arguments that are not complete are replaced: TestMalformedCallGoesBackEmpty
		}
		got, _ := readStream(t, s.format, bytes.NewReader(s.events))
		if got.err != nil {
			t.Errorf("%s: %v", s.name, got.err)
			continue
		}
		var sent [2][]json.RawMessage
		tools := newTools(t, s.format, llm.Options{})
		for i, body := range [][]byte{got.end.Body, s.body} {
			if m, err := tools.Read(body); err == nil {
				m.Calls = nil
				sent[i] = tools.Reply(m, nil)
			}
		}
		if !slices.EqualFunc(sent[0], sent[1], func(a, b json.RawMessage) bool { return sameJSON(t, a, b) }) {
			t.Errorf("%s: sent back %s, want %s", s.name, sent[0], sent[1])
		}
	}
}

func TestStreamShowsReasoning(t *testing.T) {
	t.Parallel()
	want := map[string]string{
		"openai-reasoning": "9.8 has more.", "openai-reasoning-details": "Hm.",
		"openai-responses-reasoning-calls": "First, look.", "anthropic-thinking": "First, look.",
		"gemini-thoughts": "First, look.", "mistral-thinking": "The user asks.",
	}
	for _, s := range streams(t) {
		if got, _ := readStream(t, s.format, bytes.NewReader(s.events)); got.reasoning != want[s.name] {
			t.Errorf("%s: got %q, want %q", s.name, got.reasoning, want[s.name])
		}
		delete(want, s.name)
	}
	if len(want) > 0 {
		t.Errorf("missing streams: %v", want)
	}
}

// Counts add up to a limit, so a server must not be able to lower or overflow the sum.
func TestCountsThatAreNoCounts(t *testing.T) {
	t.Parallel()
	for count, want := range map[string]int64{"-5": 0, "1e300": 1e12, `"7"`: 0, "null": 0, "[1]": 0, "2": 2} {
		body := `{"choices":[{"message":{"role":"assistant","content":"a"}}],"usage":{"prompt_tokens":1,"prompt_tokens_details":` + count + `,"completion_tokens":` + count + `}}`
		got, _ := readStream(t, llm.OpenAI, strings.NewReader(body))
		if got.end == nil || got.end.Usage != (llm.Usage{Input: 1, Output: want}) {
			t.Errorf("%s: got %+v, %v", count, got.end, got.err)
		}
	}
}

func TestStreamCountsTokens(t *testing.T) {
	t.Parallel()
	want := map[string]llm.Usage{
		"openai-text":           {Input: 19, Cached: 8, Output: 10},
		"openai-no-done":        {},
		"openai-responses-text": {Input: 37, Cached: 5, Output: 11},
		"anthropic-text":        {Input: 25 + 3 + 40, Cached: 40, Output: 15},
		"gemini-text":           {Input: 12, Cached: 4, Output: 7 + 30},
		"mistral-text":          {Input: 16, Output: 34},
	}
	for _, s := range streams(t) {
		usage, ok := want[s.name]
		if !ok {
			continue
		}
		delete(want, s.name)
		got, _ := readStream(t, s.format, bytes.NewReader(s.events))
		if got.end == nil || got.end.Usage != usage {
			t.Errorf("%s: got %+v, %v, want %+v", s.name, got.end, got.err, usage)
		}
	}
	if len(want) > 0 {
		t.Errorf("missing streams: %v", want)
	}
}

// An error in a stream has the text of the provider, without characters that a terminal acts on.
func TestStreamWithAnErrorFails(t *testing.T) {
	t.Parallel()
	want := map[string]string{
		"openai-error":              "server_error: The server had",
		"openai-responses-failed":   "server_error: The model failed to generate a response.",
		"openai-responses-error":    "rate_limit_exceeded: Too many requests.",
		"anthropic-error":           "overloaded_error: Overloaded",
		"gemini-error":              "UNAVAILABLE: The model is overloaded.",
		"gemini-partial-arguments":  "remove streamFunctionCallArguments",
		"mistral-error":             "Service unavailable.",
		"mistral-stopped-by-error":  "because of an error",
		"anthropic-reused-index":    "its index is not new",
		"anthropic-unfinished-call": "before the end of block 0",
	}
	all := streams(t)
	for name, events := range map[string]string{
		"anthropic-reused-index": `data: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}` + "\n\n" +
			`data: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}` + "\n\n",
		"anthropic-unfinished-call": `data: {"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"t","name":"n","input":{}}}` + "\n\n" +
			`data: {"type":"message_stop"}` + "\n\n",
	} {
		all = append(all, stream{name: name, format: llm.Anthropic, events: []byte(events)})
	}
	for _, s := range all {
		if s.body != nil {
			continue
		}
		got, _ := readStream(t, s.format, bytes.NewReader(s.events))
		if want[s.name] == "" || got.err == nil || !strings.Contains(got.err.Error(), want[s.name]) || strings.ContainsRune(got.err.Error(), '\u202e') {
			t.Errorf("%s: got %v, want %q", s.name, got.err, want[s.name])
		}
		delete(want, s.name)
	}
	if len(want) > 0 {
		t.Errorf("missing streams: %v", want)
	}
}

// A stream that is cut anywhere gives an error or the whole message. Only the usage can be lost,
// which some servers send after the message.
func TestCutStreamIsNeverAnotherMessage(t *testing.T) {
	t.Parallel()
	for _, s := range streams(t) {
		whole, _ := readStream(t, s.format, bytes.NewReader(s.events))
		complete := 0
		step := testlevel.Size(5, 1)
		for n := 0; n < len(s.events); n += step {
			got, _ := readStream(t, s.format, bytes.NewReader(s.events[:n]))
			if got.err != nil {
				continue
			}
			complete++
			if whole.err != nil {
				t.Errorf("%s: cut at %d it succeeds, whole it fails with %v", s.name, n, whole.err)
				break
			}
			if got.text != whole.text || got.reasoning != whole.reasoning || len(got.calls) != len(whole.calls) ||
				!sameJSON(t, withoutUsage(t, got.end.Body), withoutUsage(t, whole.end.Body)) {
				t.Errorf("%s: cut at %d:\ngot  %s\nwant %s", s.name, n, got.end.Body, whole.end.Body)
				break
			}
		}
		if complete > len(s.events)/step/3 && whole.err == nil {
			t.Errorf("%s: %d of %d cuts are complete", s.name, complete, len(s.events)/step)
		}
	}
}

func withoutUsage(t *testing.T, body []byte) []byte {
	t.Helper()
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(body, &fields); err != nil {
		t.Fatal(err)
	}
	delete(fields, "usage")
	text, err := json.Marshal(fields)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// The network may deliver a stream in pieces of any size.
func TestStreamInSingleBytesGivesTheSameChunks(t *testing.T) {
	t.Parallel()
	for _, s := range streams(t) {
		_, whole := readStream(t, s.format, bytes.NewReader(s.events))
		_, single := readStream(t, s.format, iotest.OneByteReader(bytes.NewReader(s.events)))
		if !reflect.DeepEqual(whole, single) {
			t.Errorf("%s: got %+v, want %+v", s.name, single, whole)
		}
	}
}

// Some servers answer a request for a stream with a complete response or an error in JSON.
func TestWholeResponseIsReadAsAStream(t *testing.T) {
	t.Parallel()
	for _, s := range streams(t) {
		if s.body == nil {
			continue
		}
		want, _ := readStream(t, s.format, bytes.NewReader(s.events))
		got, _ := readStream(t, s.format, io.MultiReader(strings.NewReader("\r\n"), bytes.NewReader(s.body)))
		if got.err != nil || got.text != want.text || len(got.calls) != len(want.calls) || got.end.Usage != want.end.Usage || !sameJSON(t, got.end.Body, s.body) {
			t.Errorf("%s: got %+v, want %+v", s.name, got, want)
		}
		if cut, _ := readStream(t, s.format, bytes.NewReader(s.body[:len(s.body)/2])); cut.err == nil {
			t.Errorf("%s: a body that is cut off gives %s", s.name, cut.end.Body)
		}
	}
}

func TestBodyThatIsNoStreamIsRefused(t *testing.T) {
	t.Parallel()
	for _, format := range llm.Formats() {
		for body, want := range map[string]string{
			`{"error":{"type":"invalid_request_error","message":"No such model."}}`: "invalid_request_error: No such model.",
			`{"error":"no such model"}`:       "no such model",
			`{}`:                              "is missing",
			`{`:                               "JSON",
			``:                                "there are no events",
			`<html>502 Bad Gateway</html>`:    "check the URL, and that",
			`[{"error":{"message":"x"}}]`:     "there are no events",
			"data: {\"a\":\n\n":               "an event",
			"data: [1]\n\n":                   "an event must be an object",
			"data: [DONE]\n\n":                "it ended before the message was complete",
			"event: ping\ndata: {}\n\n":       "it ended before the message was complete",
			"data: {\"error\":{\"a\":1}}\n\n": `{"a":1}`,
		} {
			if format == llm.MCP {
				want = "the format mcp has no streams"
			}
			if got, _ := readStream(t, format, strings.NewReader(body)); got.err == nil || !strings.Contains(got.err.Error(), want) {
				t.Errorf("%s: %s: got %v, want %q", format, body, got.err, want)
			}
		}
	}
	if got, _ := readStream(t, "other", strings.NewReader("")); got.err == nil || !strings.Contains(got.err.Error(), "unknown format") {
		t.Errorf("got %v", got.err)
	}
}

// The error of the body is in the error of the stream, even after the model has stopped.
func TestStreamReportsAReadError(t *testing.T) {
	t.Parallel()
	broken := errors.New("connection reset")
	for _, s := range streams(t) {
		if s.body == nil || s.format == llm.Anthropic || s.format == llm.OpenAIResponses {
			continue // these streams have a last event, after which nothing is read
		}
		events := bytes.TrimSuffix(s.events, []byte("data: [DONE]\n\n"))
		got, _ := readStream(t, s.format, io.MultiReader(bytes.NewReader(events), iotest.ErrReader(broken)))
		if !errors.Is(got.err, broken) {
			t.Errorf("%s: got %v", s.name, got.err)
		}
	}
}

// The last event ends the message, even if the server keeps the connection open.
func TestNothingIsReadAfterTheLastEvent(t *testing.T) {
	t.Parallel()
	for _, s := range streams(t) {
		if s.body == nil || s.format != llm.Anthropic && s.format != llm.OpenAIResponses && !bytes.Contains(s.events, []byte("[DONE]")) {
			continue
		}
		got, _ := readStream(t, s.format, io.MultiReader(bytes.NewReader(s.events), iotest.ErrReader(errors.New("read on"))))
		if got.err != nil {
			t.Errorf("%s: %v", s.name, got.err)
		}
	}
}

// repeated reads a text over and over.
type repeated struct {
	text string
	at   int
}

func (r *repeated) Read(p []byte) (int, error) {
	n := copy(p, r.text[r.at:])
	r.at = (r.at + n) % len(r.text)
	return n, nil
}

func TestStreamIsLimited(t *testing.T) {
	t.Parallel()
	delta := func(text string) string {
		return `data: {"choices":[{"index":0,"delta":{"content":"` + text + `"}}]}` + "\n\n"
	}
	for name, test := range map[string]struct {
		format llm.Format
		body   io.Reader
		want   string
	}{
		"event":   {llm.OpenAI, &repeated{text: "data: aaaaaaaaaaaaaaaaaaaaaa"}, "an event is longer than 8 MiB"},
		"message": {llm.OpenAI, &repeated{text: delta(strings.Repeat("a", 1<<20))}, "the message is longer than 16 MiB"},
		"stream":  {llm.OpenAI, &repeated{text: ": " + strings.Repeat("a", 1<<16) + "\n"}, "it is longer than 256 MiB"},
		"body":    {llm.OpenAI, io.MultiReader(strings.NewReader("{"), &repeated{text: strings.Repeat(" ", 1<<16)}), "longer than 16 MiB"},
		"calls": {llm.OpenAI, io.MultiReader(&repeated{text: `data: {"choices":[{"index":0,"delta":{"tool_calls":[` +
			strings.Repeat(`{"function":{"name":"a"}},`, 10_000) + `{"function":{"name":"a"}}]}}]}` + "\n\n"}), "the message is longer than 16 MiB"},
		"fields": {llm.Gemini, &repeated{text: `data: {"candidates":[{"content":{"parts":[{"a":"` + strings.Repeat("a", 1<<20) + `"}]}}]}` + "\n\n"}, "the message is longer than 16 MiB"},
		"items":  {llm.OpenAIResponses, &repeated{text: `data: {"type":"response.output_item.done","output_index":0,"item":{"a":"` + strings.Repeat("a", 1<<20) + `"}}` + "\n\n"}, "the message is longer than 16 MiB"},
		"input": {llm.Anthropic, io.MultiReader(strings.NewReader(`data: {"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"t","name":"n","input":{}}}`+"\n\n"),
			&repeated{text: `data: {"type":"content_block_delta","index":0,"delta":{"partial_json":"` + strings.Repeat("a", 1<<20) + `"}}` + "\n\n"}), "the message is longer than 16 MiB"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var err error
			for _, err = range llm.ReadStream(test.format, test.body) {
			}
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want %q", err, test.want)
			}
		})
	}
}

// Fields that each event repeats do not count as a longer message.
func TestRepeatedFieldsAreNotALongMessage(t *testing.T) {
	t.Parallel()
	event := `data: {"id":"` + strings.Repeat("a", 1<<20) + `","usage":{"prompt_tokens":1,"prompt_tokens_details":{"a":[1,2]}},"choices":[{"index":0,"delta":{"role":"assistant","content":"a"}}]}` + "\n\n"
	end := `data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}` + "\n\n"
	got, _ := readStream(t, llm.OpenAI, strings.NewReader(strings.Repeat(event, 40)+end))
	if got.err != nil || got.text != strings.Repeat("a", 40) {
		t.Errorf("got %q, %v", got.text, got.err)
	}
}

// A server may cut a character that is written as a pair of escapes.
func TestPairOfEscapesMayBeCut(t *testing.T) {
	t.Parallel()
	for format, events := range map[llm.Format][]string{
		llm.OpenAI: {
			`{"choices":[{"delta":{"content":"\ud83c"}}]}`, `{"choices":[{"delta":{"content":"\udf1e"},"finish_reason":"stop"}]}`,
		},
		llm.Anthropic: {
			`{"type":"message_start","message":{"role":"assistant","content":[]}}`, `{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}`,
			`{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"\ud83c"}}`, `{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"\udf1e"}}`,
			`{"type":"content_block_stop","index":0}`, `{"type":"message_stop"}`,
		},
		llm.Gemini: {
			`{"candidates":[{"content":{"parts":[{"text":"\ud83c"}]}}]}`, `{"candidates":[{"content":{"parts":[{"text":"\udf1e"}]},"finishReason":"STOP"}]}`,
		},
	} {
		got, _ := readStream(t, format, strings.NewReader("data: "+strings.Join(events, "\n\ndata: ")+"\n\n"))
		if got.err != nil {
			t.Errorf("%s: %v", format, got.err)
			continue
		}
		if m, err := newTools(t, format, llm.Options{}).Read(got.end.Body); err != nil || m.Text != "\U0001F31E" {
			t.Errorf("%s: got %q, %v", format, m.Text, err)
		}
	}
}

// countingReader counts the reads.
type countingReader struct {
	io.Reader
	reads int
}

func (c *countingReader) Read(p []byte) (int, error) {
	c.reads++
	return c.Reader.Read(p[:min(len(p), 64)])
}

// A consumer that stops gets nothing more, and the stream is not read any further.
func TestStreamStopsWithItsConsumer(t *testing.T) {
	t.Parallel()
	for _, s := range streams(t) {
		_, chunks := readStream(t, s.format, bytes.NewReader(s.events))
		for stop := range chunks {
			in, seen, reads := &countingReader{Reader: bytes.NewReader(s.events)}, 0, 0
			for _, err := range llm.ReadStream(s.format, in) {
				if err != nil {
					t.Fatal(err)
				}
				reads = in.reads
				if seen++; seen > stop {
					break
				}
			}
			if in.reads != reads || seen != stop+1 {
				t.Errorf("%s: %d reads after the end, %d chunks of %d", s.name, in.reads-reads, seen, stop+1)
			}
		}
	}
}

// White space counts as an empty object, like an empty text.
func TestBlankInputIsNoArguments(t *testing.T) {
	t.Parallel()
	events := []string{
		`{"type":"message_start","message":{"role":"assistant","content":[]}}`,
		`{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"t","name":"n","input":{}}}`,
		`{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":" "}}`,
		`{"type":"content_block_stop","index":0}`, `{"type":"message_stop"}`,
	}
	got, _ := readStream(t, llm.Anthropic, strings.NewReader("data: "+strings.Join(events, "\n\ndata: ")+"\n\n"))
	if got.err != nil || len(got.calls) != 1 || string(got.calls[0].Arguments) != "{}" {
		t.Errorf("got %+v", got)
	}
}

// The registry reports arguments that two parsers could understand differently, as it does for all
// arguments. The message stays readable.
func TestAmbiguousArgumentsDoNotFailTheMessage(t *testing.T) {
	t.Parallel()
	for _, input := range []string{`{"to":"a","to":"b"}`, `{"to":` + strings.Repeat("[", 998) + strings.Repeat("]", 998) + `}`} {
		events := []string{
			`{"type":"message_start","message":{"role":"assistant","content":[]}}`,
			`{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"t","name":"move","input":{}}}`,
			`{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":` + string(jsontree.NewString(input).JSON()) + `}}`,
			`{"type":"content_block_stop","index":0}`, `{"type":"message_stop"}`,
		}
		got, _ := readStream(t, llm.Anthropic, strings.NewReader("data: "+strings.Join(events, "\n\ndata: ")+"\n\n"))
		if got.err != nil || len(got.calls) != 1 || string(got.calls[0].Arguments) != input {
			t.Fatalf("got %+v", got)
		}
		tools := newTools(t, llm.Anthropic, llm.Options{})
		m, err := tools.Read(got.end.Body)
		if err != nil || len(m.Calls) != 1 || m.Calls[0].Problem != "" || string(m.Calls[0].Arguments) != input {
			t.Fatalf("got %+v, %v", m, err)
		}
		if sent := tools.Reply(m, nil); !strings.Contains(string(sent[0]), `"input":`+input) {
			t.Errorf("sent back %s", sent[0])
		}
	}
}

// A consumer that stops gets no error either, although the same event has one.
func TestConsumerThatStoppedGetsNoError(t *testing.T) {
	t.Parallel()
	for format, event := range map[llm.Format]string{
		llm.OpenAI: `{"choices":[{"delta":{"content":"a"},"finish_reason":"error"}]}`,
		llm.Gemini: `{"candidates":[{"content":{"parts":[{"text":"a"},{"functionCall":{"willContinue":true}}]}}]}`,
	} {
		for c, err := range llm.ReadStream(format, strings.NewReader("data: "+event+"\n\n")) {
			if c.Text != "a" || err != nil {
				t.Errorf("%s: %+v, %v", format, c, err)
			}
			break
		}
	}
}

// For any bytes, a stream ends with one End, whose body is JSON that Read accepts or refuses, or
// with one error.
func FuzzReadStream(f *testing.F) {
	for _, s := range streams(f) {
		f.Add(slices.Index(llm.Formats(), s.format), s.events)
		if s.body != nil {
			f.Add(slices.Index(llm.Formats(), s.format), s.body)
		}
	}
	f.Fuzz(func(t *testing.T, i int, events []byte) {
		format := llm.Formats()[max(i, -(i+1))%len(llm.Formats())]
		got, _ := readStream(t, format, bytes.NewReader(events))
		if got.end == nil {
			return
		}
		tools, err := llm.New(format, weatherAndMove(), llm.Options{})
		if err != nil {
			t.Fatal(err)
		}
		m, err := tools.Read(got.end.Body)
		if stop := (*llm.StopError)(nil); err != nil && !errors.As(err, &stop) {
			t.Errorf("Read refuses the body: %v", err)
		}
		for _, message := range tools.Reply(m, nil) {
			if !json.Valid(message) {
				t.Errorf("not JSON: %q", message)
			}
		}
	})
}
