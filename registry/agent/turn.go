package agent

import (
	"cmp"
	"errors"
	"fmt"
	"runtime/debug"
	"strings"

	"github.com/wasmtool/wasmtool/registry/llm"
)

// asked is a message of the model, with what it wrote around the calls.
type asked struct {
	llm.Message
	// before is the text before the first call. thinking is what was written before each call.
	before   string
	thinking []string
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
	m, body, err := r.read()
	if err == nil {
		m.Message, err = r.conversation.tools.Read(body)
	}
	r.summarise(m)
	return m, err
}

// read reads the stream of the next message. It returns the body of the whole response.
func (r *run) read() (m asked, body []byte, err error) {
	var text, reasoning strings.Builder
	size := 0
	// wrote records what the model wrote since the last call.
	wrote := func() {
		if m.thinking == nil {
			m.before = strings.TrimSpace(text.String())
		}
		m.thinking = append(m.thinking, cmp.Or(strings.TrimSpace(text.String()), strings.TrimSpace(reasoning.String())))
		text.Reset()
		reasoning.Reset()
	}
	for chunk, err := range r.model.Stream(r.ctx, r.next()) {
		switch {
		case err != nil:
			return m, nil, err
		case r.ctx.Err() != nil:
			return m, nil, r.ctx.Err()
		}
		if size += len(chunk.Text) + len(chunk.Reasoning); size > r.o.MaxMessage {
			return m, nil, fmt.Errorf("its message is longer than %d bytes", r.o.MaxMessage)
		}
		text.WriteString(chunk.Text)
		reasoning.WriteString(chunk.Reasoning)
		if chunk.Text != "" {
			emit(r, r.events.OnTextChunk, chunk.Text)
		}
		if chunk.Call != nil && len(m.thinking) < llm.MaxCalls {
			wrote()
		}
		if chunk.End != nil {
			body = chunk.End.Body
			r.usage = r.usage.Plus(chunk.End.Usage)
		}
	}
	switch {
	case body == nil:
		return m, nil, errors.New("its stream ended without a response")
	case len(body) > maxBody*r.o.MaxMessage:
		return m, nil, fmt.Errorf("its response is longer than %d bytes", maxBody*r.o.MaxMessage)
	}
	if m.thinking == nil {
		wrote()
	}
	return m, body, nil
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

// summarise sets the summary of the last step.
func (r *run) summarise(m asked) {
	if len(r.steps) == 0 || m.before == "" || r.steps[len(r.steps)-1].Turn != r.turn-1 {
		return
	}
	step := &r.steps[len(r.steps)-1]
	step.Summary = m.before
	emit(r, r.events.OnStepSummary, *step)
}
