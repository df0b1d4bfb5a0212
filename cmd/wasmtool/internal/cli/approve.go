package cli

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/wasmtool/wasmtool/internal/questiontext"
	"github.com/wasmtool/wasmtool/registry"
	"github.com/wasmtool/wasmtool/registry/policy/remembered"
)

// approver returns who answers for a dangerous tool: yes with --yes, a person at a
// terminal, or nobody. Standard input that carries the arguments can't carry the
// answer too.
func (a *app) approver(yes, inputFromStdin bool) registry.Approver {
	if yes {
		return registry.ApproverFunc(func(context.Context, registry.Question) (registry.Answer, error) {
			return registry.Answer{Yes: true}, nil
		})
	}
	terminal := a.person(inputFromStdin)
	if terminal == nil {
		return nil
	}
	return registry.ApproverFunc(func(ctx context.Context, q registry.Question) (registry.Answer, error) {
		return a.ask(ctx, terminal, q)
	})
}

// person returns where to put a question to whoever sits at the terminal; nil when nobody
// does.
func (a *app) person(inputFromStdin bool) io.Writer {
	if inputFromStdin || !isTerminal(a.In) {
		return nil
	}
	return a.terminal()
}

// terminal returns where to put a question: standard error, or the terminal itself
// when that goes elsewhere; nil for neither.
func (a *app) terminal() io.Writer {
	if isTerminal(a.Err) {
		return a.Err
	}
	tty, err := os.OpenFile(controllingTerminal, os.O_WRONLY, 0)
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
func (a *app) ask(ctx context.Context, terminal io.Writer, q registry.Question) (registry.Answer, error) {
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
	line, err := a.answer(ctx, terminal)
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

// answer reads a line from the person at the terminal, without the spaces around it.
func (a *app) answer(ctx context.Context, terminal io.Writer) (string, error) {
	answer := make(chan string, 1)
	go func() {
		// Reading a terminal can't be interrupted; when ctx ends first, this
		// goroutine is left to the end of the process.
		line, _ := bufio.NewReader(a.In).ReadString('\n')
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
