package cli

import (
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/wasmtool/wasmtool/registry/tool"
)

// asker returns who puts the questions of tools to the person at the terminal, or nil when
// nobody sits there.
func (a *app) asker(inputFromStdin bool) tool.Asker {
	terminal := a.person(inputFromStdin)
	if terminal == nil {
		return nil
	}
	return terminalAsker{a, terminal}
}

type terminalAsker struct {
	app      *app
	terminal io.Writer
}

// Inquire implements tool.Asker. Options are numbered; an answer that is no number is one in
// the person's own words, and an empty one is none.
func (t terminalAsker) Inquire(ctx context.Context, q tool.Inquiry) (tool.Reply, error) {
	var b strings.Builder
	b.WriteString("The tool asks")
	if q.Header != "" {
		fmt.Fprintf(&b, " (%s)", oneLine(q.Header))
	}
	fmt.Fprintf(&b, ": %s\n", oneLine(q.Text))
	for n, o := range q.Options {
		fmt.Fprintf(&b, "  %d. %s", n+1, oneLine(o.Label))
		if o.Description != "" {
			fmt.Fprintf(&b, ": %s", oneLine(o.Description))
		}
		b.WriteString("\n")
	}
	switch {
	case len(q.Options) == 0:
		b.WriteString("Your answer, empty for none: ")
	case q.Multiple:
		b.WriteString("Numbers with commas, or an answer of your own, empty for none: ")
	default:
		b.WriteString("A number, or an answer of your own, empty for none: ")
	}
	if _, err := io.WriteString(t.terminal, b.String()); err != nil {
		return tool.Reply{}, err
	}
	line, err := t.app.answer(ctx, t.terminal)
	if err != nil {
		return tool.Reply{}, err
	}
	return replyOf(line, q), nil
}

// replyOf reads the answer to a question.
func replyOf(line string, q tool.Inquiry) tool.Reply {
	if line == "" {
		return tool.Reply{Status: tool.ReplyDeclined}
	}
	reply := tool.Reply{Status: tool.ReplyAnswered}
	chosen := make([]bool, len(q.Options))
	words := strings.FieldsFunc(line, func(r rune) bool { return r == ',' || r == ' ' })
	for _, word := range words {
		n, err := strconv.Atoi(word)
		if err != nil || n < 1 || n > len(q.Options) || len(words) > 1 && !q.Multiple {
			return tool.Reply{Status: tool.ReplyAnswered, Text: line}
		}
		chosen[n-1] = true
	}
	for n, o := range q.Options {
		if chosen[n] {
			reply.Chosen = append(reply.Chosen, o.Label)
		}
	}
	return reply
}
