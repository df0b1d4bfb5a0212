package llm

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/wasmtool/wasmtool/internal/jsonschema"
	"github.com/wasmtool/wasmtool/registry/catalogue"
	"github.com/wasmtool/wasmtool/registry/tool"

	"github.com/wasmtool/wasmtool/internal/jsontree"
)

// Options control how tools are defined. The zero value works with every model.
type Options struct {
	// Strict asks the provider to make the model follow the schemas, which OpenAI and Anthropic can
	// do. A tool whose schema does not fit strict mode is defined without it, and [Tools.Losses]
	// reports the tool and the reason. Keywords that strict mode does not support are left out of
	// the definition. Optional fields become nulls for OpenAI; calls to the tool omit these nulls.
	Strict bool
	// AllowedCallers returns who may call a tool, for Anthropic: "direct" for the model itself, and
	// the type of a code execution tool, such as "code_execution_20260120", for scripts in
	// Anthropic's sandbox. Empty means only the model, and so does a nil AllowedCallers. A tool
	// that scripts may call is defined without strict mode, because Anthropic does not combine the
	// two.
	AllowedCallers func(tool.Spec) []string
	// DeferLoading reports whether the provider keeps the definition of a tool from the model until
	// the model searches for it; nil means never. It is for Anthropic and OpenAIResponses, whose
	// requests then need a search tool of the provider next to the definitions.
	DeferLoading func(tool.Spec) bool
}

// Tools holds the definitions of tools for one provider. It is immutable and safe for
// concurrent use. The zero value is not usable; call [New].
type Tools struct {
	format      Format
	provider    provider
	tools       []*exported
	byName      map[string]*exported // keyed by the name in the definition
	definitions json.RawMessage
	losses      []Loss
}

// exported is one tool as defined for a provider.
type exported struct {
	spec tool.Spec
	name string
	back *back
	// alone forbids running other calls at the same time as a call to this tool.
	alone bool
}

// New defines tools for a provider, in the order given. It leaves out disabled tools.
// [Tools.Losses] returns the differences between the definitions and the tools' own schemas.
//
// New fails if a tool's schema is invalid, or if two tools would have the same name.
func New(format Format, infos []catalogue.Info, o Options) (*Tools, error) {
	p, err := format.provider()
	if err != nil {
		return nil, err
	}
	t := &Tools{format: format, provider: p, byName: make(map[string]*exported)}
	var definitions []*jsontree.Value
	var count tally
	for _, info := range infos {
		if info.Disabled {
			continue
		}
		x, d, err := t.export(info.Spec, o, &count)
		if err != nil {
			return nil, err
		}
		if other := t.byName[x.name]; other != nil {
			return nil, fmt.Errorf("the tools %s and %s would both have the name %s; rename one, or leave it out", other.spec.Name, info.Name, x.name)
		}
		t.warn(p.subset(false), d, x.spec.Name)
		t.tools = append(t.tools, x)
		t.byName[x.name] = x
		definitions = append(definitions, p.definition(d))
	}
	t.definitions = p.list(definitions).JSON()
	return t, nil
}

// Definitions returns the value for the field "tools" of a request (for MCP, of the result
// of tools/list): a JSON array. The caller may change it.
func (t *Tools) Definitions() json.RawMessage { return slices.Clone(t.definitions) }

// Losses returns the differences between the definitions and the tools' own schemas, grouped
// by tool.
func (t *Tools) Losses() []Loss { return slices.Clone(t.losses) }

// warn records why a provider may refuse the request, where the package cannot prevent it.
func (t *Tools) warn(s *subset, d definition, name string) {
	if s == nil {
		return
	}
	risk := func(what, why string) {
		t.losses = append(t.losses, Loss{Tool: name, What: what, Why: why, Effect: Risky})
	}
	if n := utf8.RuneCountInString(d.description); s.description > 0 && n > s.description {
		risk("the description", fmt.Sprintf("it has %d characters, but some models of %s accept at most %d", n, s.provider, s.description))
	}
	if len(t.tools) == s.tools && s.tools > 0 {
		risk("this tool and the following ones", fmt.Sprintf("%s accepts at most %d tools in a request; define fewer", s.provider, s.tools))
	}
}

// export defines one tool for the provider.
func (t *Tools) export(spec tool.Spec, o Options, count *tally) (*exported, definition, error) {
	schema, err := parametersOf(spec)
	if err != nil {
		return nil, definition{}, err
	}
	effects := spec.Effects()
	// Tools of MCP servers are always dangerous, even if the operator declared that they only read.
	declared := !spec.Sandboxed && spec.Declared != nil
	x := &exported{spec: spec, name: spec.Name, alone: !effects.ReadOnly || spec.Dangerous && !declared}
	d := definition{title: spec.Title, description: spec.Description, effects: effects}
	d.description = cmp.Or(d.description, spec.Title)
	if t.format == MCP && len(spec.Result) > 0 && !spec.Details {
		if d.result, err = t.resultOf(spec); err != nil {
			return nil, definition{}, err
		}
	}
	if o.AllowedCallers != nil {
		d.callers = o.AllowedCallers(spec)
	}
	d.deferred = o.DeferLoading != nil && o.DeferLoading(spec)
	t.checkLoading(spec, &d)
	byScripts := slices.ContainsFunc(d.callers, func(caller string) bool { return caller != directCaller })
	if byScripts && o.Strict {
		t.losses = append(t.losses, Loss{Tool: spec.Name, What: "strict", Why: "scripts may call the tool; the tool is defined without it", Effect: Wider})
	}
	d.parameters, d.strict = t.convert(x, schema, o.Strict && !byScripts, count)
	d.name = x.name
	d.empty = len(d.parameters.Member("properties").Names()) == 0 && d.parameters.Member("additionalProperties") == nil
	return x, d, nil
}

// directCaller is the caller in Options.AllowedCallers that stands for the model.
const directCaller = "direct"

// checkLoading removes what the provider does not have, and records that.
func (t *Tools) checkLoading(spec tool.Spec, d *definition) {
	lost := func(what string) {
		t.losses = append(t.losses, Loss{Tool: spec.Name, What: what, Why: "the provider does not have it", Effect: Untold})
	}
	if len(d.callers) > 0 && t.format != Anthropic {
		lost("allowed_callers")
		d.callers = nil
	}
	if d.deferred && t.format != Anthropic && t.format != OpenAIResponses {
		lost("defer_loading")
		d.deferred = false
	}
}

// resultOf checks and reads the schema of a tool's result. It returns nil if the result is not
// an object, since MCP has only objects as structured results.
func (t *Tools) resultOf(spec tool.Spec) (*jsontree.Value, error) {
	schema, err := jsonschema.Compile(spec.Result)
	if err != nil {
		return nil, fmt.Errorf("%s: the schema of the result is invalid: %w", spec.Name, err)
	}
	if spec.ResultIsObject() {
		return treeOf(schema), nil
	}
	t.losses = append(t.losses, Loss{Tool: spec.Name, What: "the schema of the result", Why: "structured results in MCP must be objects; the schema is left out", Effect: Untold})
	return nil, nil
}

// parametersOf checks and reads the schema of a tool's arguments.
func parametersOf(spec tool.Spec) (*jsontree.Value, error) {
	text := jsonschema.WithoutAliases(spec.Parameters)
	if len(text) == 0 {
		text = json.RawMessage(`{"type":"object"}`)
	}
	// Compiling ensures that all references have a target and that nesting is bounded.
	schema, err := jsonschema.CompileParameters(text)
	if err != nil {
		return nil, fmt.Errorf("%s: the schema of the parameters is invalid: %w", spec.Name, err)
	}
	return treeOf(schema), nil
}

// treeOf returns a schema with unescaped strings, which models read best.
func treeOf(schema *jsonschema.Schema) *jsontree.Value {
	tree := schema.Tree()
	tree.Unescape()
	return tree
}

// convert writes a tool's schema for the provider and records the losses. It uses strict mode
// if strict is set and the schema fits.
func (t *Tools) convert(x *exported, schema *jsontree.Value, strict bool, count *tally) (parameters *jsontree.Value, isStrict bool) {
	plain := t.provider.subset(false)
	if plain == nil {
		return schema, false
	}
	if strict {
		rules := t.provider.subset(true)
		why := "the provider has no strict mode"
		if rules != nil {
			var losses []Loss
			if parameters, losses, why = x.write(schema, rules, count); why == "" {
				t.losses = append(t.losses, losses...)
				return parameters, true
			}
		}
		t.losses = append(t.losses, Loss{Tool: x.spec.Name, What: "strict", Why: why + "; the tool is defined without it", Effect: Wider})
	}
	parameters, losses, _ := x.write(schema, plain, nil)
	t.losses = append(t.losses, losses...)
	return parameters, false
}

// write writes a tool's schema within a subset. why is the reason why the schema does not fit
// strict mode, or "" if it fits.
func (x *exported) write(schema *jsontree.Value, s *subset, count *tally) (parameters *jsontree.Value, losses []Loss, why string) {
	report := func(at, what, why string, effect Effect) {
		l := Loss{Tool: x.spec.Name, Pointer: at, What: what, Why: why, Effect: effect}
		if effect == stated {
			l.Effect, l.Stated = Wider, true
		}
		losses = append(losses, l)
	}
	x.name = s.names.toolName(x.spec.Name)
	if x.name != x.spec.Name {
		report("", "the name", s.provider+" does not accept it; the definition calls the tool "+x.name, Renamed)
	}
	c := &converter{reader: newReader(schema, report), subset: s}
	parameters, x.back = c.parameters(c.read(schema, "", resource{root: schema}))
	if s.strict == nil || c.refusal != "" {
		return parameters, losses, c.refusal
	}
	measured, why := s.strict.exceeded(parameters)
	if why == "" {
		why = count.admit(s.strict, measured)
	}
	return parameters, losses, why
}
