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

// Approver decides whether a call may run. Implementations must be safe for concurrent use and
// return when ctx is done.
type Approver interface {
	// Approve answers a question. Any error denies the call. An error that wraps ErrNoApprover
	// means that the Approver cannot ask about this call, as if the Registry had no Approver.
	Approve(ctx context.Context, q Question) (Answer, error)
}

// ErrNoApprover is returned by an Approver that cannot ask about a call.
var ErrNoApprover = tool.ErrNoApprover

// ApproverFunc is an [Approver] that calls a function.
type ApproverFunc func(ctx context.Context, q Question) (Answer, error)

// Approve calls f.
func (f ApproverFunc) Approve(ctx context.Context, q Question) (Answer, error) { return f(ctx, q) }

// Answer is the answer of an [Approver]. The zero value denies the call.
type Answer struct {
	// Yes allows the call.
	Yes bool
	// Remember keeps the approval for further calls of exactly this tool, with this grant and
	// these arguments: for the session of the call, or always. ScopeScript keeps the approval of a
	// call with Question.Within for this run of the script, for calls of the tool with any
	// arguments. Empty and ScopeOnce keep nothing.
	// Without a Store, and for a tool without a digest, "always" also means the session. If an
	// approval cannot be kept, for example because the call has no session, the Logger gets a
	// warning.
	Remember remembered.Scope
	// AnyArguments keeps the approval for calls with different arguments as well. Set it only if
	// the question to the person said so.
	AnyArguments bool
	// Patterns stores the approval for the Question's Patterns and not for its arguments. The
	// approval then covers every call whose script needs an approval only for commands that match
	// these patterns. It has no effect if the Question has no Patterns. Set it only if the question
	// to the person showed them.
	Patterns bool
}

// Question is a question to an [Approver] about a call. [Question.Text] formats it for a person.
//
// Some fields contain text that must be shown as a quotation. The tool's author wrote Confirm. A
// model may have written the values in Arguments, and with them Patterns, Commands, Within.Script
// and the quoted parts of Why. All other fields come from the host.
type Question struct {
	// CallRef identifies the call, and the message of the conversation that it belongs to.
	tool.CallRef
	// Tool is the tool's Spec.
	Tool tool.Spec
	// Digest is the tool's digest, or "".
	Digest string
	// Grant is what the tool will be able to access.
	Grant capability.Grant
	// Bounds are all limits of the call's access, including denials and directories of the host.
	// They are part of the fingerprint of the approval, and are not shown to people. Paths outside
	// the workspaces are listed as "outside: MODE PATH", with all links resolved.
	Bounds []string
	// Why is the reason for the question, and Reason the kind of the reason.
	Why    string
	Reason tool.AskReason
	// Arguments is the JSON object that the tool will get.
	Arguments json.RawMessage
	// WorkingDirectory is the guest path where relative paths in the arguments start, if the tool
	// asks for it; "" means the workspace.
	WorkingDirectory string
	// Patterns are patterns of package shellcommand, such as "git push *", for the commands of
	// the call's script that need an approval. They are empty if an approval can only cover
	// exactly this call.
	Patterns []string
	// Commands are the parts of the call's script that need an approval, as they are written.
	Commands []string
	// Within is the script that makes the call; nil means that no script makes it.
	Within *Within
	// Confirm is the author's text with the arguments filled in; may be empty.
	Confirm string
}

// Limits on the parts of a question's text, in bytes.
const (
	maxFact   = 200
	maxWhy    = 1000
	maxAuthor = 1000
)

// Title returns the question as one short line, for the head of a dialog whose body is the Text. It
// names the tool and depends on the Reason. It contains nothing that the tool's author or a model
// wrote, except for the tool's name.
func (q Question) Title() string {
	name := questiontext.Shorten(q.Tool.Name, maxFact)
	switch q.Reason {
	case tool.AskOutside:
		return "Let " + name + " use a path outside the workspaces?"
	case tool.AskRepeated:
		return "Run " + name + " again?"
	case tool.AskDangerous:
		return "Run the dangerous tool " + name + "?"
	case tool.AskScript:
		return "Run a script with " + name + "?"
	}
	return "Run " + name + "?"
}

// Text returns the question as several lines of text, which are bounded and safe to print. The
// facts from the host come first: the reason for the question, and what the tool can access. Then
// come the arguments, on indented lines: first the parameters of Spec.Changes and Spec.Shell, then
// required parameters, then all others. Arguments that have the default of the schema are left out.
// The first line names arguments that do not fit. Lines are wrapped at 80 columns, and continuation
// lines are indented.
//
// If operator is set, the text also contains the source of the tool and directories of the host,
// which only the operator may see.
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
	if q.Tool.Original != "" {
		line("It calls the tool %s of an MCP server.", questiontext.Shorten(q.Tool.Original, maxFact))
	}
	line("%s.", plaintext.Sentence(q.Tool.Reach(q.Grant.Describe(operator))))
	if arguments.Lines == "" {
		line("It gets no arguments.")
	} else {
		line("Its arguments:")
		b.WriteString(arguments.Lines)
	}
	if q.Within != nil {
		q.Within.writeTo(line)
	}
	if q.WorkingDirectory != "" {
		line("Relative paths start in: %s", questiontext.Quote(q.WorkingDirectory, maxFact))
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
	if err != nil { // impossible for a registered tool
		return o
	}
	for _, p := range schema.Parameters() {
		o.Parameters = append(o.Parameters, questiontext.Parameter{Name: p.Name, Required: p.Required, Default: p.Default})
	}
	return o
}
