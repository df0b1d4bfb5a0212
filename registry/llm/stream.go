package llm

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"
	"unicode"

	"github.com/wasmtool/wasmtool/internal/jsontree"
	"github.com/wasmtool/wasmtool/registry/llm/internal/assemble"
)

// maxStream limits the bytes of a stream.
const maxStream = 256 << 20

// Chunk is a piece of a streamed response. Exactly one field is set.
type Chunk struct {
	// Text is a piece of the answer's text, and Reasoning a piece of the model's reasoning, as far
	// as the provider shows it.
	Text      string `json:"text,omitempty"`
	Reasoning string `json:"reasoning,omitempty"`
	// Call is a call, for display: Name and Arguments are as the model wrote them, and may be
	// invalid. All calls follow the text. To run calls, read the whole response with [Tools.Read].
	Call *Call `json:"call,omitempty"`
	// End is the whole response. It is the last chunk.
	End *Response `json:"end,omitempty"`
}

// Response is a complete response of a provider.
type Response struct {
	// Body is the body that the provider would have sent without streaming, for [Tools.Read] and
	// [Tools.Answer]. Everything that must go back to the provider unchanged, such as signatures of
	// reasoning, is in it.
	Body json.RawMessage `json:"body"`
	// Usage is what the response cost; the zero value if the provider did not say.
	Usage Usage `json:"usage"`
}

// Usage counts the tokens of a request and its response.
type Usage struct {
	// Input are the tokens of the request, including Cached, those that the provider had cached.
	Input  int64 `json:"input_tokens"`
	Cached int64 `json:"cached_tokens,omitempty"`
	// Output are the tokens of the response, including reasoning.
	Output int64 `json:"output_tokens"`
}

// Plus returns the sum of two counts.
func (u Usage) Plus(other Usage) Usage {
	return Usage{Input: u.Input + other.Input, Cached: u.Cached + other.Cached, Output: u.Output + other.Output}
}

// ReadStream reads a streamed response and yields its chunks as they arrive. body is the HTTP body
// of a response with status 200; the caller closes it. The request must ask for a stream of
// server-sent events (in Gemini streamGenerateContent with alt=sse) and should ask for usage (in
// OpenAI stream_options.include_usage). A body that is not a stream but a complete response in JSON
// is accepted too.
//
// The last chunk has End, unless there is an error. Errors are an error that the provider reports,
// a stream that ends before the message is complete, an event that is not valid, and an error of
// body. An event may have at most 8 MiB, the message 16 MiB and the stream 256 MiB. An error ends
// the sequence, and the chunks before it are not a complete message. The sequence can be used once.
// It starts no goroutine, and reads nothing after the loop over it stops.
func ReadStream(format Format, body io.Reader) iter.Seq2[Chunk, error] {
	return func(yield func(Chunk, error) bool) {
		show := func(c Chunk) error {
			if !yield(c, nil) {
				return errStopped
			}
			return nil
		}
		if err := readStream(format, body, show); err != nil && !errors.Is(err, errStopped) {
			yield(Chunk{}, err)
		}
	}
}

// errStopped ends reading when the consumer of a stream stops.
var errStopped = errors.New("the consumer stopped")

func readStream(format Format, body io.Reader, show func(Chunk) error) error {
	p, err := format.provider()
	if err != nil {
		return err
	}
	a := p.stream()
	if a == nil {
		return fmt.Errorf("the format %s has no streams", format)
	}
	limited := &io.LimitedReader{R: body, N: maxStream}
	in := bufio.NewReader(limited)
	first := byte(' ')
	for err == nil && unicode.IsSpace(rune(first)) {
		first, err = in.ReadByte()
	}
	if err == nil {
		err = in.UnreadByte()
	}
	if err != nil && err != io.EOF {
		return fmt.Errorf("the stream of %s: %w", format, err)
	}
	var message json.RawMessage
	streamed := first != '{'
	if streamed {
		message, err = assemble.Read(in, a, func(text string, reasoning bool) error {
			if reasoning {
				return show(Chunk{Reasoning: text})
			}
			return show(Chunk{Text: text})
		})
	} else if message, err = io.ReadAll(io.LimitReader(in, assemble.MaxMessage+1)); len(message) > assemble.MaxMessage {
		err = assemble.ErrTooLong
	}
	if limited.N == 0 && !errors.Is(err, errStopped) {
		err = fmt.Errorf("it is longer than %d MiB", maxStream>>20)
	}
	if err != nil {
		return fmt.Errorf("the stream of %s: %w", format, err)
	}
	r, err := format.parse(p, message)
	// A model that stopped without an answer also has a complete response, for Read to judge.
	if stop := (*StopError)(nil); err != nil && !errors.As(err, &stop) {
		return err
	}
	var rest []Chunk // what the stream has not shown
	if !streamed && len(r.text) > 0 {
		rest = append(rest, Chunk{Text: string(r.text)})
	}
	for i := range r.calls {
		rest = append(rest, Chunk{Call: &r.calls[i]})
	}
	for _, chunk := range append(rest, Chunk{End: &Response{Body: message, Usage: r.usage}}) {
		if err := show(chunk); err != nil {
			return err
		}
	}
	return nil
}

// usage returns the tokens that a response counts. Counts that are not numbers are 0.
func (f Format) usage(body *jsontree.Value) Usage {
	sum := func(fields ...string) (tokens int64) {
		const limit = 1e12 // so that sums of many messages cannot overflow
		for _, field := range fields {
			tokens += int64(min(max(number(body.At(strings.Split(field, "."))), 0), limit))
		}
		return tokens
	}
	switch f {
	case OpenAIResponses:
		return Usage{sum("usage.input_tokens"), sum("usage.input_tokens_details.cached_tokens"), sum("usage.output_tokens")}
	case Anthropic:
		cached := sum("usage.cache_read_input_tokens")
		return Usage{cached + sum("usage.input_tokens", "usage.cache_creation_input_tokens"), cached, sum("usage.output_tokens")}
	case Gemini:
		return Usage{
			Input:  sum("usageMetadata.promptTokenCount", "usageMetadata.toolUsePromptTokenCount"),
			Cached: sum("usageMetadata.cachedContentTokenCount"),
			Output: sum("usageMetadata.candidatesTokenCount", "usageMetadata.thoughtsTokenCount"),
		}
	default:
		return Usage{sum("usage.prompt_tokens"), sum("usage.prompt_tokens_details.cached_tokens"), sum("usage.completion_tokens")}
	}
}
