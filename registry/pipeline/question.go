package pipeline

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/internal/jsonschema"
	"github.com/wasmtool/wasmtool/internal/plaintext"
	"github.com/wasmtool/wasmtool/internal/questiontext"
	"github.com/wasmtool/wasmtool/registry/policy/remembered"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// Approver answers whether a call may run. Implementations are safe for concurrent
// use and return when ctx is done.
type Approver interface {
	// Approve answers a question. Any error means no. An error that wraps ErrNoApprover
	// means that there is nobody for this call, as if the Registry had no Approver.
	Approve(ctx context.Context, q Question) (Answer, error)
}

// ErrNoApprover is the error of an Approver that can ask no one about a call.
var ErrNoApprover = tool.ErrNoApprover

// ApproverFunc is a function as an Approver.
type ApproverFunc func(ctx context.Context, q Question) (Answer, error)

// Approve calls f.
func (f ApproverFunc) Approve(ctx context.Context, q Question) (Answer, error) { return f(ctx, q) }

// Answer is what an Approver says. The zero value is no.
type Answer struct {
	// Yes lets the call run.
	Yes bool
	// Remember keeps the yes for further calls of exactly this tool, with this grant and
	// these arguments: for the session of the call, or always. Empty and ScopeOnce keep
	// nothing. Without a Store of ApprovalOptions, and for a tool without a digest, always is for the
	// session, too. What cannot be kept, such as for a session without a name, the Logger is
	// told.
	Remember remembered.Scope
	// AnyArguments keeps it for calls with other arguments, too. Only a question that
	// said so may be answered like that.
	AnyArguments bool
	// Patterns keeps it for the Question's Patterns in place of the arguments: for every
	// call whose script has to be asked about for commands of these alone. It does nothing
	// where the Question has none. Only a question that showed them may be answered so.
	Patterns bool
}

// Question is what an Approver is asked. Text writes it for a person. Everything but Confirm,
// Patterns, Commands and the arguments' values is the host's own knowledge; the tool's author
// wrote Confirm, and a model may have written the arguments, of which Patterns, Commands and
// what Why has in quotes are parts, so show them as quoted text.
type Question struct {
	// CallRef names the call.
	tool.CallRef
	// Tool is the tool's Spec.
	Tool tool.Spec
	// Digest is what Registry.Digest tells of it, or "".
	Digest string
	// Grant is what the tool will reach.
	Grant capability.Grant
	// Bounds are all that says what the call may reach, denials and folders of the host
	// included. They are for a fingerprint of what a yes is about, not for people.
	Bounds []string
	// Why says what makes it a question.
	Why string
	// Arguments is the JSON object that the tool will get.
	Arguments json.RawMessage
	// Patterns are patterns of package shellcommand for the commands of the call's script
	// that are asked about, such as "git push *"; empty where a yes can only be for
	// exactly this call.
	Patterns []string
	// Commands are the parts of the call's script that are asked about, as they stand there.
	Commands []string
	// Confirm is the author's own question with the arguments filled in; may be
	// empty.
	Confirm string
}

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
