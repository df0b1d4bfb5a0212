package agent

import (
	"errors"
	"fmt"
	"runtime/debug"
	"strings"

	"github.com/wasmtool/wasmtool/registry/llm"
)

// asked is a message of the model, with the reasoning that the provider showed.
type asked struct {
	llm.Message
	reasoning string
}

// ask asks the model for its next message.
func (r *run) ask() (m asked, err error) {
	defer func() {
		if panicked := recover(); panicked != nil {
			r.o.Logger.Error("panic in the model of an agent", "panic", panicked, "stack", string(debug.Stack()))
			err = errors.New("the model panicked")
		}
	}()
	if err := r.ctx.Err(); err != nil {
		return m, err
	}
	r.turn++
	if r.turn == r.o.MaxTurns && r.limit == "" {
		r.limit = EndMaxTurns
	}
	emit(r, r.events.OnProgress, fmt.Sprintf("turn %d", r.turn))
	m, err = r.read()
	r.summarise(m)
	return m, err
}

// read reads the stream of the next message.
func (r *run) read() (m asked, err error) {
	var reasoning strings.Builder
	var body []byte
	size := 0
	for chunk, err := range r.model.Stream(r.ctx, r.next()) {
		switch {
		case err != nil:
			return m, err
		case r.ctx.Err() != nil:
			return m, r.ctx.Err()
		}
		if size += len(chunk.Text) + len(chunk.Reasoning); size > r.o.MaxMessage {
			return m, fmt.Errorf("its message is longer than %d bytes", r.o.MaxMessage)
		}
		reasoning.WriteString(chunk.Reasoning)
		if chunk.Text != "" {
			emit(r, r.events.OnTextChunk, chunk.Text)
		}
		if chunk.End != nil {
			body = chunk.End.Body
			r.usage = r.usage.Plus(chunk.End.Usage)
		}
	}
	switch {
	case body == nil:
		return m, errors.New("its stream ended without a response")
	case len(body) > maxBody*r.o.MaxMessage:
		return m, fmt.Errorf("its response is longer than %d bytes", maxBody*r.o.MaxMessage)
	}
	m.reasoning = reasoning.String()
	m.Message, err = r.conversation.tools.Read(body)
	return m, err
}

// maxBody limits the response, as a multiple of the limit on its text: it also has arguments of
// calls and the provider's own data.
const maxBody = 4

// next returns the request for the next message.
func (r *run) next() llm.Request {
	request := llm.Request{
		System: systemPrompt(r.o.Skills), Messages: r.conversation.messages(), Tools: r.conversation.tools.Definitions(), MaxTokens: r.o.MaxOutputTokens,
	}
	if r.limit != "" {
		request.NoCalls = true
		request.System += "\n\n" + lastTurn
	}
	return request
}

// summarise sets the summary of the last step: the text of m before its calls.
func (r *run) summarise(m asked) {
	text := m.Text
	if len(m.Calls) > 0 {
		text = m.Calls[0].Before
	}
	if text = strings.TrimSpace(text); len(r.steps) == 0 || text == "" || r.steps[len(r.steps)-1].Turn != r.turn-1 {
		return
	}
	step := &r.steps[len(r.steps)-1]
	step.Summary = text
	emit(r, r.events.OnStepSummary, *step)
}
