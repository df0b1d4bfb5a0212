package registry

import (
	"fmt"
	"strings"

	"github.com/wasmtool/wasmtool/internal/jsonschema"
	"github.com/wasmtool/wasmtool/internal/plaintext"
	"github.com/wasmtool/wasmtool/internal/questiontext"
)

// Bounds of the facts of a question, in bytes.
const (
	maxFact   = 200
	maxWhy    = 1000
	maxAuthor = 1000
)

// Text is the question in words, some lines that are bounded and safe to print. The facts come
// first and are the host's: why it is a question, and what the tool can reach. Then come the
// arguments, each on lines of its own that begin with spaces: the parameters of Spec.Changes and
// Spec.Shell, required ones, others. What has no room is named at the top. Lines are broken
// for a terminal of 80 columns; what follows a break begins with spaces, too.
// With operator it names where the tool is from and the host's directories, too, which are for
// nobody else.
func (q Question) Text(operator bool) string {
	arguments := questiontext.Arguments(q.Arguments, q.textOptions())
	var b strings.Builder
	line := func(format string, args ...any) {
		b.WriteString(questiontext.Wrap(fmt.Sprintf(format, args...)) + "\n")
	}
	if arguments.Missing != "" {
		line("Too long to show in full: %s.", arguments.Missing)
	}
	name := questiontext.Shorten(q.Tool.Name, maxFact)
	if q.Tool.Version != "" {
		name += " " + questiontext.Shorten(q.Tool.Version, maxFact)
	}
	if operator && q.Tool.Source != "" {
		name += " (" + questiontext.Shorten(q.Tool.Source, maxFact) + ")"
	}
	line("May the tool %s run? %s.", name, plaintext.Sentence(questiontext.Shorten(q.Why, maxWhy)))
	line("%s.", plaintext.Sentence(q.Tool.Reach(q.Grant.Describe(operator))))
	if arguments.Lines == "" {
		line("It gets no arguments.")
	} else {
		line("Its arguments:")
		b.WriteString(arguments.Lines)
	}
	if q.Confirm != "" {
		line("Its author says: %s", questiontext.Shorten(q.Confirm, maxAuthor))
	}
	return b.String()
}

func (q Question) textOptions() questiontext.Options {
	o := questiontext.Options{Script: q.Tool.Shell, Commands: q.Commands}
	if q.Tool.Changes != "" {
		o.First = []string{q.Tool.Changes}
	}
	schema, err := jsonschema.CompileParameters(q.Tool.Parameters)
	if err != nil { // a Registry has no such tool: all values are alike then
		return o
	}
	for _, p := range schema.Parameters() {
		o.Parameters = append(o.Parameters, questiontext.Parameter{Name: p.Name, Required: p.Required, Default: p.Default})
	}
	return o
}
