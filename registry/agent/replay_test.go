package agent_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"reflect"
	"strings"
	"sync"
	"testing"

	"github.com/wasmtool/wasmtool/registry/agent"
	"github.com/wasmtool/wasmtool/registry/llm"
)

// scripted is a Model that answers with one message after the other.
type scripted struct {
	mu       sync.Mutex
	messages []answered
}

// answered is what a Model yields: chunks and then, if err is not nil, an error.
type answered struct {
	chunks []llm.Chunk
	err    error
}

func (s *scripted) Format() llm.Format { return llm.Anthropic }

func (s *scripted) Stream(context.Context, llm.Request) iter.Seq2[llm.Chunk, error] {
	return func(yield func(llm.Chunk, error) bool) {
		s.mu.Lock()
		m := s.messages[0]
		s.messages = s.messages[1:]
		s.mu.Unlock()
		for _, c := range m.chunks {
			if !yield(c, nil) {
				return
			}
		}
		if m.err != nil {
			yield(llm.Chunk{}, m.err)
		}
	}
}

// take reads a message, at most most of its chunks.
func take(ctx context.Context, m agent.Model, most int) (out answered) {
	for c, err := range m.Stream(ctx, llm.Request{System: "sk-secret", Messages: []json.RawMessage{json.RawMessage(`"sk-secret"`)}}) {
		if err != nil {
			out.err = err
			return out
		}
		if out.chunks = append(out.chunks, c); len(out.chunks) == most {
			return out
		}
	}
	return out
}

func end(body string) llm.Chunk {
	return llm.Chunk{End: &llm.Response{Body: json.RawMessage(body), Usage: llm.Usage{Input: 10, Cached: 4, Output: 2}}}
}

// all are messages with every kind of chunk.
func all() []answered {
	return []answered{
		{chunks: []llm.Chunk{{Reasoning: "Hm."}, {Text: "a <b> &\n\u2028"}, {Call: &llm.Call{ID: "1", Name: "read", Arguments: json.RawMessage(`{"path":"<a>"}`)}}, end(`{"content":"<&>"}`)}},
		// the arguments are cut off
		{chunks: []llm.Chunk{{Call: &llm.Call{Name: "read", Arguments: json.RawMessage(`{"path":`)}}, end(`{}`)}},
		{chunks: []llm.Chunk{{Text: "partly"}}, err: errors.New("overloaded")},
		{chunks: []llm.Chunk{{Text: "ok"}, end(`[1]`)}},
	}
}

// A replay answers as the recorded model did, and a recording has nothing of the requests.
func TestReplayAnswersLikeTheModel(t *testing.T) {
	t.Parallel()
	var file bytes.Buffer
	r := agent.Record(&scripted{messages: all()}, &file)
	for i, want := range all() {
		if got := take(t.Context(), r, 100); !reflect.DeepEqual(got.chunks, want.chunks) || fmt.Sprint(got.err) != fmt.Sprint(want.err) {
			t.Errorf("recording message %d: %+v", i+1, got)
		}
		if lines := strings.Count(file.String(), "\n"); lines != i+2 {
			t.Errorf("%d lines after message %d", lines, i+1)
		}
	}
	if strings.Contains(file.String(), "sk-secret") {
		t.Errorf("the recording contains the request: %s", &file)
	}
	m, err := agent.OpenReplay(&file)
	if err != nil {
		t.Fatal(err)
	}
	if m.Format() != llm.Anthropic {
		t.Errorf("the format is %s", m.Format())
	}
	for i, want := range all() {
		if got := take(t.Context(), m, 100); !reflect.DeepEqual(got.chunks, want.chunks) || fmt.Sprint(got.err) != fmt.Sprint(want.err) {
			t.Errorf("message %d: %+v, %v", i+1, got.chunks, got.err)
		}
	}
	if got := take(t.Context(), m, 100); got.chunks != nil || got.err == nil || got.err.Error() != "the recording has only 4 messages" {
		t.Errorf("after the last message: %+v", got)
	}
}

// The lines of recordings that exist must stay readable.
func TestFormatOfRecordings(t *testing.T) {
	t.Parallel()
	var file bytes.Buffer
	r := agent.Record(&scripted{messages: all()[:1]}, &file)
	take(t.Context(), r, 100)
	want := `{"recording":1,"format":"anthropic"}
{"chunks":[{"reasoning":"Hm."},{"text":"a <b> &\n\u2028"},{"call":{"id":"1","name":"read","arguments":"{\"path\":\"<a>\"}"}},{"end":{"body":{"content":"<&>"},"usage":{"input_tokens":10,"cached_tokens":4,"output_tokens":2}}}]}
`
	if file.String() != want {
		t.Errorf("got\n%swant\n%s", &file, want)
	}
}

// A message that the caller did not read to its end is recorded as far as it was read.
func TestRecordMessageThatWasStopped(t *testing.T) {
	t.Parallel()
	var file bytes.Buffer
	r := agent.Record(&scripted{messages: all()}, &file)
	take(t.Context(), r, 2)
	take(t.Context(), r, 100)
	m, err := agent.OpenReplay(&file)
	if err != nil {
		t.Fatal(err)
	}
	first, second := take(t.Context(), m, 100), take(t.Context(), m, 100)
	if len(first.chunks) != 2 || first.err == nil || len(second.chunks) != 2 || second.err != nil {
		t.Errorf("got %+v and %+v", first, second)
	}
}

// limitedWriter fails after some bytes.
type limitedWriter struct{ left int }

func (w *limitedWriter) Write(p []byte) (int, error) {
	if w.left -= len(p); w.left < 0 {
		return 0, errors.New("disk full")
	}
	return len(p), nil
}

// A message is not complete if its recording is missing.
func TestRecordThatCannotBeWritten(t *testing.T) {
	t.Parallel()
	for _, room := range []int{0, 50} { // for no line, and for the first line
		r := agent.Record(&scripted{messages: all()}, &limitedWriter{room})
		for range all() {
			got := take(t.Context(), r, 100)
			if got.err == nil || !strings.Contains(got.err.Error(), "the message cannot be recorded: disk full") {
				t.Errorf("room for %d bytes: %v", room, got.err)
			}
			for _, c := range got.chunks {
				if c.End != nil {
					t.Error("the message has an end")
				}
			}
		}
	}
}

func TestReplayEndsWithItsContext(t *testing.T) {
	t.Parallel()
	m, err := agent.OpenReplay(strings.NewReader(`{"recording":1,"format":"openai"}{"chunks":[{"text":"a"},{"end":{"body":{},"usage":{}}}]}`))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var last error
	for _, err := range m.Stream(ctx, llm.Request{}) {
		cancel()
		last = err
	}
	if !errors.Is(last, context.Canceled) {
		t.Error(last)
	}
}

// Messages of concurrent conversations do not mix.
func TestRecordConcurrently(t *testing.T) {
	t.Parallel()
	var messages []answered
	for i := range 50 {
		text := fmt.Sprint(i)
		messages = append(messages, answered{chunks: []llm.Chunk{{Text: text}, end(text)}})
	}
	var file bytes.Buffer
	r := agent.Record(&scripted{messages: messages}, &file)
	var work sync.WaitGroup
	for range messages {
		work.Go(func() { take(t.Context(), r, 100) })
	}
	work.Wait()
	m, err := agent.OpenReplay(&file)
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	seen := map[string]bool{}
	for range messages {
		work.Go(func() {
			got := take(t.Context(), m, 100)
			mu.Lock()
			defer mu.Unlock()
			if got.err != nil || len(got.chunks) != 2 || got.chunks[0].Text != string(got.chunks[1].End.Body) {
				t.Errorf("got %+v", got)
				return
			}
			seen[got.chunks[0].Text] = true
		})
	}
	work.Wait()
	if len(seen) != len(messages) {
		t.Errorf("%d messages", len(seen))
	}
}

func TestOpenReplayRefuses(t *testing.T) {
	t.Parallel()
	const head = `{"recording":1,"format":"openai"}` + "\n"
	for text, want := range map[string]string{
		"":                                   "not a recording",
		"hello":                              "not a recording",
		`{"chunks":[]}`:                      "not a recording",
		`{"recording":2,"format":"openai"}`:  "not a recording",
		`{"recording":1,"format":"opnai"}`:   `did you mean openai?`,
		head + `{"chunks":[]}`:               "message 1 of the recording: its last piece must be the end",
		head + `{"chunks":[{"text":"a"}]}`:   "message 1 of the recording: its last piece must be the end",
		head + `{"chunks":[{"end":{}}]}`:     "the end has no body",
		head + `{"chunks":[{"txt":"a"}]}`:    "txt",
		head + `{"error":"a"}` + "\n" + `{"`: "message 2 of the recording",
		head + `{"chunks":[{"end":{"body":{}}}],"error":"a"}`:    "or it must have an error",
		head + `{"chunks":[{"end":{"body":{}}},{"text":"a"}]}`:   "a piece follows the end",
		head + `{"chunks":[{"call":{"name":1}}],"error":"none"}`: "message 1 of the recording",
	} {
		if m, err := agent.OpenReplay(strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), want) || m != nil {
			t.Errorf("%s: got %v, want an error with %q", text, err, want)
		}
	}
}

// What OpenReplay accepts, it replays, and a recording of the replay is replayed equally.
func FuzzReplay(f *testing.F) {
	f.Add([]byte(`{"recording":1,"format":"gemini"}` + "\n" + `{"chunks":[{"text":"a"},{"call":{"name":"b","arguments":"{"}},{"end":{"body":{"<":1},"usage":{"input_tokens":1}}}]}` + "\n" + `{"chunks":[],"error":"c"}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		m, err := agent.OpenReplay(bytes.NewReader(text))
		if err != nil {
			return
		}
		replayAll := func(m agent.Model) (out []answered) {
			for {
				got := take(t.Context(), m, 1<<30)
				if got.err != nil && strings.HasPrefix(got.err.Error(), "the recording has only") {
					return out
				}
				out = append(out, got)
			}
		}
		var file bytes.Buffer
		first := replayAll(agent.Record(m, &file))
		if len(first) == 0 {
			return
		}
		again, err := agent.OpenReplay(io.LimitReader(&file, 1<<30))
		if err != nil {
			t.Fatalf("%v in %s", err, &file)
		}
		second := replayAll(again)
		for i, want := range first {
			if i == len(second) {
				t.Fatalf("%d messages of %d", len(second), len(first))
			}
			got := second[i]
			if len(got.chunks) != len(want.chunks) || fmt.Sprint(got.err) != fmt.Sprint(want.err) {
				t.Errorf("got %+v, want %+v", got, want)
			}
		}
	})
}
