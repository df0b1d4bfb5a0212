package cli

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/internal/plaintext"
	"github.com/wasmtool/wasmtool/registry"
	"github.com/wasmtool/wasmtool/registry/policy/approvals"
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

// maxShownArguments bounds what of the arguments a question shows, so that they
// cannot push the facts off the screen.
const maxShownArguments = 1000

// ask puts a question to the person at the terminal. The facts come first and are
// the host's; the author's text and the arguments are shown as quoted text.
func (a *app) ask(ctx context.Context, terminal io.Writer, q registry.Question) (registry.Answer, error) {
	var no registry.Answer
	var b strings.Builder
	fmt.Fprintf(&b, "May the tool %s %s (%s) run? %s.\n", oneLine(q.Tool.Name), oneLine(q.Tool.Version), oneLine(q.Tool.Source), plaintext.Sentence(oneLine(q.Why)))
	fmt.Fprintf(&b, "  it will reach: %s\n", reach(q.Grant))
	fmt.Fprintf(&b, "  arguments:     %s\n", oneLine(cut(string(q.Arguments), maxShownArguments)))
	if q.Confirm != "" {
		fmt.Fprintf(&b, "  its author says: %s\n", oneLine(cut(q.Confirm, maxShownArguments)))
	}
	b.WriteString("Run it? [y]es, [a]lways for exactly this, ")
	if len(q.Patterns) > 0 {
		fmt.Fprintf(&b, "[p]attern: always for %s, ", oneLine(strings.Join(q.Patterns, " and ")))
	}
	b.WriteString("[N]o: ")
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
		return registry.Answer{Yes: true, Remember: approvals.ScopeAlways}, nil
	case "p", "pattern":
		if len(q.Patterns) > 0 {
			return registry.Answer{Yes: true, Remember: approvals.ScopeAlways, Patterns: true}, nil
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

// reach says what a call will reach, with the operator's own directories: this goes
// to the operator and nowhere else.
func reach(g capability.Grant) string {
	var parts []string
	for _, m := range g.FS {
		where := oneLine(m.Dir)
		if m.Mount == capability.ScratchMount {
			where = "its own, empty"
		}
		parts = append(parts, fmt.Sprintf("%s (%s)", oneLine(m.Describe()), where))
	}
	for _, name := range sortedKeys(g.Env) {
		parts = append(parts, "the variable "+oneLine(name))
	}
	for _, n := range g.Net {
		parts = append(parts, oneLine(n.Describe()))
	}
	if g.KV != capability.ModeNone {
		parts = append(parts, "its own store, to "+g.KV.String())
	}
	if g.Clock {
		parts = append(parts, "the clock")
	}
	if g.Random {
		parts = append(parts, "randomness")
	}
	if len(parts) == 0 {
		return "nothing outside its sandbox"
	}
	return strings.Join(parts, ", ")
}
