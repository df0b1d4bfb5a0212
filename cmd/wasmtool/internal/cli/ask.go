package cli

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"runtime"
	"strconv"
	"strings"

	"github.com/wasmtool/wasmtool/internal/questiontext"
	"github.com/wasmtool/wasmtool/registry"
	"github.com/wasmtool/wasmtool/registry/policy/remembered"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// approver returns who answers for a dangerous tool: yes with --yes, a person at a
// terminal, or nobody. Standard input that carries the arguments can't carry the
// answer too.
func (s Streams) approver(yes, inputFromStdin bool) registry.Approver {
	if yes {
		return registry.ApproverFunc(func(context.Context, registry.Question) (registry.Answer, error) {
			return registry.Answer{Yes: true}, nil
		})
	}
	terminal := s.person(inputFromStdin)
	if terminal == nil {
		return nil
	}
	return registry.ApproverFunc(func(ctx context.Context, q registry.Question) (registry.Answer, error) {
		return s.ask(ctx, terminal, q)
	})
}

// asker returns who puts the questions of tools to the person at the terminal, or nil when
// nobody sits there.
func (s Streams) asker(inputFromStdin bool) tool.Asker {
	terminal := s.person(inputFromStdin)
	if terminal == nil {
		return nil
	}
	return terminalAsker{s, terminal}
}

// person returns where to put a question to whoever sits at the terminal; nil when nobody
// does.
func (s Streams) person(inputFromStdin bool) io.Writer {
	if inputFromStdin || !isTerminal(s.In) {
		return nil
	}
	return s.terminal()
}

// terminal returns where to put a question: standard error, or the terminal itself
// when that goes elsewhere; nil for neither.
func (s Streams) terminal() io.Writer {
	if isTerminal(s.Err) {
		return s.Err
	}
	tty, err := os.OpenFile(controllingTerminal(), os.O_WRONLY, 0)
	if err != nil {
		return nil
	}
	return tty // open until the process ends
}

// maxPatterns is how many bytes of patterns a question shows. A yes to patterns is one to those
// that were seen: with more, there is no such answer.
const maxPatterns = 1000

// A question with more than this may be longer than the screen, with the facts above it.
const (
	maxScreen      = 1600 // bytes
	maxScreenLines = 20
)

// ask puts a question to the person at the terminal.
func (s Streams) ask(ctx context.Context, terminal io.Writer, q registry.Question) (registry.Answer, error) {
	var no registry.Answer
	var b strings.Builder
	text := q.Text(true)
	b.WriteString(text)
	if len(text) > maxScreen || strings.Count(text, "\n") > maxScreenLines {
		b.WriteString("This question is long: read it from its first line.\n")
	}
	patterns := strings.Join(q.Patterns, " and ")
	offered := patterns != "" && len(patterns) <= maxPatterns
	choices := "Run it? [y]es, [a]lways for exactly this, "
	if offered {
		choices += "[p]attern: always for " + oneLine(patterns) + ", "
	}
	b.WriteString(questiontext.Wrap(choices + "[N]o: "))
	if _, err := io.WriteString(terminal, b.String()); err != nil {
		return no, err
	}
	line, err := s.answer(ctx, terminal)
	if err != nil {
		return no, err
	}
	switch strings.ToLower(line) {
	case "y", "yes":
		return registry.Answer{Yes: true}, nil
	case "a", "always":
		return registry.Answer{Yes: true, Remember: remembered.ScopeAlways}, nil
	case "p", "pattern":
		if offered {
			return registry.Answer{Yes: true, Remember: remembered.ScopeAlways, Patterns: true}, nil
		}
	}
	return no, nil
}

type terminalAsker struct {
	streams  Streams
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
	line, err := t.streams.answer(ctx, t.terminal)
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

// answer reads a line from the person at the terminal, without the spaces around it.
func (s Streams) answer(ctx context.Context, terminal io.Writer) (string, error) {
	answer := make(chan string, 1)
	go func() {
		// Reading a terminal can't be interrupted; when ctx ends first, this
		// goroutine is left to the end of the process.
		line, _ := bufio.NewReader(s.In).ReadString('\n')
		answer <- line
	}()
	select {
	case line := <-answer:
		return strings.TrimSpace(line), nil
	case <-ctx.Done():
		fmt.Fprintln(terminal)
		return "", ctx.Err()
	}
}

// controllingTerminal is the terminal or console of the process, wherever its streams go.
func controllingTerminal() string {
	if runtime.GOOS == "windows" {
		return "CONOUT$"
	}
	return "/dev/tty"
}
