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

	"github.com/wasmtool/wasmtool/cmd/wasmtool/internal/terminal"
	"github.com/wasmtool/wasmtool/internal/each"
	"github.com/wasmtool/wasmtool/internal/questiontext"
	"github.com/wasmtool/wasmtool/registry"
	"github.com/wasmtool/wasmtool/registry/policy/remembered"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// approver returns the approver for calls that need approval. With --yes, the approver approves
// every call, but no path outside the workspaces; otherwise it asks the person at the terminal.
// approver returns nil if there is no terminal, or if standard input carries the arguments and so
// cannot carry the answer.
func (s Streams) approver(yes, inputFromStdin bool) registry.Approver {
	if yes {
		return registry.ApproverFunc(func(_ context.Context, q registry.Question) (registry.Answer, error) {
			if q.Reason == tool.AskOutside { // a person must see the path
				return registry.Answer{}, registry.ErrNoApprover
			}
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

// asker returns the asker that shows the questions of tools at the terminal, or nil without a
// terminal.
func (s Streams) asker(inputFromStdin bool) tool.Asker {
	terminal := s.person(inputFromStdin)
	if terminal == nil {
		return nil
	}
	return terminalAsker{s, terminal}
}

// person returns the writer that shows questions to the person at the terminal. It returns nil
// when standard input is not a terminal, because then an answer cannot be read.
func (s Streams) person(inputFromStdin bool) io.Writer {
	if inputFromStdin || !terminal.Is(s.In) {
		return nil
	}
	return s.terminal()
}

// terminal returns the writer for questions: standard error, or the controlling terminal when
// standard error is redirected. It returns nil if neither is a terminal.
func (s Streams) terminal() io.Writer {
	if terminal.Is(s.Err) {
		return s.Err
	}
	tty, err := os.OpenFile(controllingTerminal(), os.O_WRONLY, 0)
	if err != nil {
		return nil
	}
	return tty // stays open until the process ends
}

// maxPatterns limits the bytes of the patterns that a question shows. Longer patterns are not
// offered as an answer, because a person must see in full what they approve.
const maxPatterns = 1000

// These limits make a question fit on the screen. The first lines of a longer question, which state
// the facts, could scroll off the screen.
const (
	maxScreen      = 1600 // bytes
	maxScreenLines = 20
)

// ask shows a question to the person at the terminal and returns the answer.
func (s Streams) ask(ctx context.Context, terminal io.Writer, q registry.Question) (registry.Answer, error) {
	var no registry.Answer
	patterns := strings.Join(q.Patterns, " and ")
	offered := patterns != "" && len(patterns) <= maxPatterns
	once := q.Reason == tool.AskOutside
	choices := "Run it? [y]es, [a]lways for exactly this call, "
	if once {
		choices = "Run it? [y]es, only this call, "
	}
	if q.Within != nil && !once {
		choices += "[s]cript: always for this tool in this script, "
	}
	if offered {
		var solid []string // "rm *" stays on one line
		for _, pattern := range q.Patterns {
			solid = append(solid, questiontext.Solid(oneLine(pattern)))
		}
		choices += "[p]attern: always for " + strings.Join(solid, " and ") + ", "
	}
	line, err := s.askText(ctx, terminal, q, choices+"[N]o: ")
	if err != nil {
		return no, err
	}
	switch line {
	case "y", "yes":
		return registry.Answer{Yes: true}, nil
	case "a", "always":
		if once { // an answer that was not offered
			return no, nil
		}
		return registry.Answer{Yes: true, Remember: remembered.ScopeAlways}, nil
	case "s", "script":
		if q.Within != nil && !once {
			return registry.Answer{Yes: true, Remember: remembered.ScopeScript}, nil
		}
	case "p", "pattern":
		if offered {
			return registry.Answer{Yes: true, Remember: remembered.ScopeAlways, Patterns: true}, nil
		}
	}
	return no, nil
}

// askText shows a question and the possible answers, and returns the answer in lower case.
func (s Streams) askText(ctx context.Context, terminal io.Writer, q registry.Question, choices string) (string, error) {
	text := q.Text(true)
	if len(text) > maxScreen || strings.Count(text, "\n") > maxScreenLines {
		text += "This question is long: scroll up and read it from its first line.\n"
	}
	if _, err := io.WriteString(terminal, text+questiontext.Wrap(choices)); err != nil {
		return "", err
	}
	line, err := s.answer(ctx, terminal)
	return strings.ToLower(line), err
}

type terminalAsker struct {
	streams  Streams
	terminal io.Writer
}

// Inquire implements tool.Asker. Options are numbered. An answer that is not the number of an
// option is returned as the person's own words; an empty answer declines.
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
		b.WriteString("Your answer (leave it empty to decline): ")
	case q.Multiple:
		b.WriteString("Numbers separated by commas, or an answer of your own (leave it empty to decline): ")
	default:
		b.WriteString("A number, or an answer of your own (leave it empty to decline): ")
	}
	rows := each.Of(strings.Split(b.String(), "\n"), questiontext.Wrap)
	if _, err := io.WriteString(t.terminal, strings.Join(rows, "\n")); err != nil {
		return tool.Reply{}, err
	}
	line, err := t.streams.answer(ctx, t.terminal)
	if err != nil {
		return tool.Reply{}, err
	}
	return replyOf(line, q), nil
}

// replyOf interprets the line that answers a question.
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

// answer reads a line from the person at the terminal and trims its white space.
func (s Streams) answer(ctx context.Context, terminal io.Writer) (string, error) {
	answer := make(chan string, 1)
	go func() {
		// A read from a terminal cannot be interrupted. If ctx is done first, this goroutine stays
		// blocked until the process exits.
		line, _ := bufio.NewReader(s.In).ReadString('\n')
		answer <- line
	}()
	select {
	case line := <-answer:
		if status, ok := terminal.(interface{ LineEnded() }); ok {
			status.LineEnded()
		}
		return strings.TrimSpace(line), nil
	case <-ctx.Done():
		fmt.Fprintln(terminal)
		return "", ctx.Err()
	}
}

// controllingTerminal returns the path of the process's terminal or console, which is independent
// of its standard streams.
func controllingTerminal() string {
	if runtime.GOOS == "windows" {
		return "CONOUT$"
	}
	return "/dev/tty"
}
