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

	"github.com/wasmtool/wasmtool/internal/deadline"
	"github.com/wasmtool/wasmtool/internal/jsonschema"
	"github.com/wasmtool/wasmtool/internal/placeholder"
	"github.com/wasmtool/wasmtool/registry/internal/callerror"
	"github.com/wasmtool/wasmtool/registry/internal/definition"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// Tool is a registered tool with everything that its calls need. It is immutable and shared: do not
// change its fields or what they refer to.
type Tool struct {
	// Spec is the tool's definition, including defaults.
	Spec tool.Spec
	// Executor runs the tool. The Catalogue closes it.
	Executor tool.Executor
	// Parameters is the compiled schema of the arguments, and Result the compiled schema of the
	// structured result, or nil if the tool has none.
	Parameters, Result *jsonschema.Schema
	// Confirm is the author's text for questions about calls.
	Confirm placeholder.Template
	// CreatedAt is when the tool was registered. Later updates and replacements do not change it.
	CreatedAt time.Time
	// Disabled is set by [Catalogue.Disable]. Independently of it, the rules may hide the tool.
	Disabled bool
	// Registration identifies the Tool within this process. It begins with RegistrationPrefix.
	// Approvals of a tool without a digest refer to its Registration.
	Registration string

	// base is the registered spec of a dynamic tool. pending is nil once the tool has described
	// itself.
	base    tool.Spec
	pending *description

	words   []word   // the words that Search matches
	letters []uint64 // the set of letters of each word, which lets a search skip most words
}

// RegistrationPrefix distinguishes a Registration from a digest.
const RegistrationPrefix = "registration "

// newTool checks a spec and compiles its schemas.
func newTool(spec tool.Spec, executor tool.Executor) (*Tool, error) {
	if executor == nil {
		return nil, definition.FieldError(spec.Name, "execute", "the executor is missing")
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

// ValidateSpec reports whether a spec is valid for Register. It does not check whether the names
// are taken. It checks names, schemas and Confirm, and registers nothing. The error is an *Error
// with the code invalid_manifest; its Details.Field names the invalid field.
func ValidateSpec(spec tool.Spec) error {
	_, err := definition.Compile(spec, nil)
	return err
}

// keys returns the tool's name and aliases.
func (t *Tool) keys() []string { return append([]string{t.Spec.Name}, t.Spec.Aliases...) }

// IsCalled reports whether a name is the tool's name or an alias, ignoring case and surrounding
// white space.
func (t *Tool) IsCalled(name string) bool {
	return slices.Contains(t.keys(), strings.ToLower(strings.TrimSpace(name)))
}

// Digest returns the digest of the tool's manifest and module together, or "" if its executor
// provides none. It loads the tool, and returns errors of loading.
func (t *Tool) Digest(ctx context.Context) (string, error) { return digestOf(ctx, t.Executor) }

func digestOf(ctx context.Context, executor tool.Executor) (string, error) {
	if known, ok := executor.(tool.Identified); ok {
		return known.Digest(ctx)
	}
	return "", nil
}

// Load makes a tool ready to run. It runs no code of the tool. After Options.LoadTimeout, it fails
// with the code timeout, but loading continues in the background.
func (c *Catalogue) Load(ctx context.Context, t *Tool) error {
	return c.withinLoadTimeout(ctx, t, t.Executor.Prepare)
}

// Digest returns the digest of a tool of c, or "". It loads the tool if the digest is not known
// without loading. The errors are the errors of Load.
func Digest(ctx context.Context, c *Catalogue, t *Tool) (digest string, err error) {
	err = c.withinLoadTimeout(ctx, t, func(ctx context.Context) (err error) {
		digest, err = t.Digest(ctx)
		return err
	})
	return digest, err
}

// withinLoadTimeout calls load with a context that ends after the LoadTimeout.
func (c *Catalogue) withinLoadTimeout(ctx context.Context, t *Tool, load func(context.Context) error) error {
	loading := deadline.New(ctx, time.Now().Add(c.opts.LoadTimeout))
	defer loading.Cancel()
	err := load(loading)
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return callerror.OfContext(ctx)
	case loading.Err() != nil:
		return (&tool.Error{
			Code: tool.CodeTimeout, Tool: t.Spec.Name,
			Message: fmt.Sprintf("the tool was not loaded within %v; loading continues in the background, so try again", c.opts.LoadTimeout),
		}).WithCause(err)
	}
	return err
}

// maxExplanation limits a tool's explanation of invalid arguments, in bytes.
const maxExplanation = 8 << 10

// ExplainViolations replaces the message of an error about invalid arguments with the tool's own
// explanation, if the tool has one. The error keeps its list of violations. Other errors stay
// unchanged. A panic of the tool is logged.
func (t *Tool) ExplainViolations(log *slog.Logger, err error) (explained error) {
	explained = err
	explainer, ok := t.Executor.(tool.ViolationExplainer)
	var invalid *tool.Error
	if !ok || !errors.As(err, &invalid) || len(invalid.Details.Violations) == 0 {
		return err
	}
	defer func() {
		if p := recover(); p != nil {
			log.Error("panic in a tool's ExplainViolations", "tool", t.Spec.Name, "panic", p, "stack", string(debug.Stack()))
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
