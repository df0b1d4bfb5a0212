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

// Options say how tools are defined. The zero value is what works with every model.
type Options struct {
	// Strict asks the provider to hold the model to the schemas, where it has such a mode
	// (OpenAI, Anthropic) and a tool's schema can be written for it; the others are defined
	// as without, and Losses says which and why. It costs: what strict mode cannot say is
	// left out, and optional fields become nulls, which are taken out of calls again.
	Strict bool
}

// Tools are tools as one provider knows them. A Tools does not change and is safe for
// concurrent use. The zero value is not usable; see New.
type Tools struct {
	format      Format
	provider    provider
	tools       []*exported
	byName      map[string]*exported // by the name in definitions
	definitions json.RawMessage
	losses      []Loss
}

// exported is one tool in its provider's terms.
type exported struct {
	spec tool.Spec
	name string
	back *back
	// alone keeps calls of the tool from running beside others.
	alone bool
}

// New defines tools for a provider, in their order. Disabled tools are left out. What
// cannot be said as the tools' schemas say it is in Losses.
//
// The error says which tool's schema is none, or which two tools would have the same name.
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
			return nil, fmt.Errorf("the tools %s and %s would both be called %s; rename one, or leave it out", other.spec.Name, info.Name, x.name)
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

// Losses returns what the definitions do not say as the tools' schemas do, by tool.
func (t *Tools) Losses() []Loss { return slices.Clone(t.losses) }

// warn reports what a provider may refuse a request for, though nothing can be done here.
func (t *Tools) warn(s *subset, d definition, name string) {
	if s == nil {
		return
	}
	risk := func(what, why string) {
		t.losses = append(t.losses, Loss{Tool: name, What: what, Why: why, Effect: Risky})
	}
	if n := utf8.RuneCountInString(d.description); s.description > 0 && n > s.description {
		risk("the description", fmt.Sprintf("it has %d characters, and some models of %s take %d", n, s.provider, s.description))
	}
	if len(t.tools) == s.tools && s.tools > 0 {
		risk("this tool and those after it", fmt.Sprintf("%s takes %d tools in a request; define fewer", s.provider, s.tools))
	}
}

// export brings one tool into the provider's terms.
func (t *Tools) export(spec tool.Spec, o Options, count *tally) (*exported, definition, error) {
	schema, err := parametersOf(spec)
	if err != nil {
		return nil, definition{}, err
	}
	effects := spec.Effects()
	x := &exported{spec: spec, name: spec.Name, alone: spec.Dangerous || !effects.ReadOnly}
	d := definition{title: spec.Title, description: spec.Description, effects: effects}
	d.description = cmp.Or(d.description, spec.Title)
	if t.format == MCP && len(spec.Result) > 0 {
		if d.result, err = t.resultOf(spec); err != nil {
			return nil, definition{}, err
		}
	}
	d.parameters, d.strict = t.convert(x, schema, o.Strict, count)
	d.name = x.name
	d.empty = len(d.parameters.Member("properties").Names()) == 0 && d.parameters.Member("additionalProperties") == nil
	return x, d, nil
}

// resultOf checks and reads the schema of a tool's result; nil for one that MCP has no place
// for.
func (t *Tools) resultOf(spec tool.Spec) (*jsontree.Value, error) {
	schema, err := jsonschema.Compile(spec.Result)
	if err != nil {
		return nil, fmt.Errorf("%s: the schema of the result is faulty: %w", spec.Name, err)
	}
	if spec.ResultIsObject() {
		return treeOf(schema), nil
	}
	t.losses = append(t.losses, Loss{Tool: spec.Name, What: "the schema of the result", Why: "structured results of MCP are objects; it is left out", Effect: Untold})
	return nil, nil
}

// parametersOf checks and reads the schema of a tool's arguments.
func parametersOf(spec tool.Spec) (*jsontree.Value, error) {
	text := spec.Parameters
	if len(text) == 0 {
		text = json.RawMessage(`{"type":"object"}`)
	}
	// The checks make sure that references lead somewhere and that nesting is bounded.
	schema, err := jsonschema.CompileParameters(text)
	if err != nil {
		return nil, fmt.Errorf("%s: the schema of the parameters is faulty: %w", spec.Name, err)
	}
	return treeOf(schema), nil
}

// treeOf returns a schema with its texts as models read them best.
func treeOf(schema *jsonschema.Schema) *jsontree.Value {
	tree := schema.Tree()
	tree.Unescape()
	return tree
}

// convert writes a tool's schema for the provider, in strict mode where that is wished for
// and possible, and keeps what it costs.
func (t *Tools) convert(x *exported, schema *jsontree.Value, strict bool, count *tally) (parameters *jsontree.Value, isStrict bool) {
	plain := t.provider.subset(false)
	if plain == nil {
		return schema, false
	}
	if strict {
		rules := t.provider.subset(true)
		why := "there is no strict mode"
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

// write writes a tool's schema within a subset; why says what keeps it from being strict.
func (x *exported) write(schema *jsontree.Value, s *subset, count *tally) (parameters *jsontree.Value, losses []Loss, why string) {
	report := func(at, what, why string, effect Effect) {
		losses = append(losses, Loss{Tool: x.spec.Name, Pointer: at, What: what, Why: why, Effect: effect})
	}
	x.name = s.names.toolName(x.spec.Name)
	if x.name != x.spec.Name {
		report("", "the name", "names are otherwise for "+s.provider+"; it is called "+x.name, Renamed)
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
