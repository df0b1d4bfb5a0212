package catalogue

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/wasmtool/wasmtool/internal/jsonschema"
	"github.com/wasmtool/wasmtool/internal/placeholder"
	"github.com/wasmtool/wasmtool/registry/internal/callerror"
	"github.com/wasmtool/wasmtool/registry/internal/definition"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// Tool is a registered tool with all that calling it takes. It never changes and is shared:
// do not change what it holds.
type Tool struct {
	// Spec is the tool's definition with its defaults filled in.
	Spec tool.Spec
	// Executor runs the tool. The Catalogue closes it.
	Executor tool.Executor
	// Parameters is the compiled schema of the arguments, and Result that of the structured
	// result; nil when the tool declares none.
	Parameters, Result *jsonschema.Schema
	// Confirm is the author's own question.
	Confirm placeholder.Template
	// CreatedAt is when the tool was registered; updating and replacing keep it.
	CreatedAt time.Time
	// Disabled is whether the tool was switched off. The rules may take it away besides.
	Disabled bool
	// Registration names the Tool in this process, for answers about one without a digest.
	// It begins with RegistrationPrefix.
	Registration string

	// base is the spec that a dynamic tool was registered with, and pending its definition,
	// as long as that is to be worked out.
	base    tool.Spec
	pending *description

	words   []word   // what Search looks at
	letters []uint64 // of each word: a search reads all of them, and few words
}

// RegistrationPrefix tells a Registration from a digest.
const RegistrationPrefix = "registration "

// newTool checks a spec and compiles its schemas.
func newTool(spec tool.Spec, executor tool.Executor) (*Tool, error) {
	if executor == nil {
		return nil, definition.FieldError(spec.Name, "execute", "there is nothing to execute")
	}
	d, err := definition.Compile(spec, executor)
	if err != nil {
		return nil, err
	}
	t := &Tool{
		Spec: d.Spec, Executor: executor, Parameters: d.Parameters, Result: d.Result, Confirm: d.Confirm,
		words: wordsOf(d.Spec),
	}
	for _, w := range t.words {
		t.letters = append(t.letters, lettersOf(w.text.Value()))
	}
	if _, ok := executor.(tool.Dynamic); ok {
		t.base, t.pending = d.Spec.Clone(), &description{}
	}
	return t, nil
}

// ValidateSpec tells whether Register would take a spec, apart from names that are taken:
// it checks names, schemas and the question, and registers nothing. The error is an
// *Error of the code invalid_manifest whose Details.Field names the field at fault.
func ValidateSpec(spec tool.Spec) error {
	_, err := definition.Compile(spec, nil)
	return err
}

// keys are the names under which a tool is found.
func (t *Tool) keys() []string { return append([]string{t.Spec.Name}, t.Spec.Aliases...) }

// IsCalled reports whether a name is one of the tool's, whatever its capitals and the space
// around it.
func (t *Tool) IsCalled(name string) bool {
	return slices.Contains(t.keys(), strings.ToLower(strings.TrimSpace(name)))
}

// Digest identifies the tool's manifest and module together, or returns "" when its executor
// knows no digest. It loads the tool. Errors are those of loading.
func (t *Tool) Digest(ctx context.Context) (string, error) { return digestOf(ctx, t.Executor) }

func digestOf(ctx context.Context, executor tool.Executor) (string, error) {
	if known, ok := executor.(tool.Identified); ok {
		return known.Digest(ctx)
	}
	return "", nil
}

// Load makes a tool ready to run, within Options.LoadTimeout. It runs no code of the tool.
// Loading goes on when the time has passed, with an *Error of the code timeout.
func (c *Catalogue) Load(ctx context.Context, t *Tool) error {
	loading, cancel := context.WithTimeout(ctx, c.opts.LoadTimeout)
	defer cancel()
	err := t.Executor.Prepare(loading)
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return callerror.OfContext(ctx)
	case loading.Err() != nil:
		return (&tool.Error{
			Code: tool.CodeTimeout, Tool: t.Spec.Name,
			Message: fmt.Sprintf("the tool was not loaded within %v; try again, loading goes on", c.opts.LoadTimeout),
		}).WithCause(err)
	}
	return err
}

// maxExplanation bounds what a tool says about invalid arguments, in bytes.
const maxExplanation = 8 << 10

// ExplainViolations lets the tool word the message of an error about its arguments. The faults
// themselves stay with the error. Other errors, and those that the tool has no words for,
// stay as they are; log is told if the tool panics.
func (t *Tool) ExplainViolations(log *slog.Logger, err error) (explained error) {
	explained = err
	explainer, ok := t.Executor.(tool.ViolationExplainer)
	var invalid *tool.Error
	if !ok || !errors.As(err, &invalid) || len(invalid.Details.Violations) == 0 {
		return err
	}
	defer func() {
		if p := recover(); p != nil {
			log.Error("panic in a tool's words for faults", "tool", t.Spec.Name, "panic", p, "stack", string(debug.Stack()))
		}
	}()
	text := explainer.ExplainViolations(invalid.Details.Violations)
	if len(text) > maxExplanation {
		text = text[:maxExplanation]
	}
	if text != "" {
		invalid.Message = strings.ToValidUTF8(text, "\uFFFD")
	}
	return err
}
