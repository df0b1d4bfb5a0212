package jsonschema

import (
	"context"
	"errors"
	"math"
	"net/url"
	"runtime"
	"strings"

	santhosh "github.com/santhosh-tekuri/jsonschema/v6"
)

// source is what compiling a schema needs. It is shared and never changed.
type source struct {
	tree     any
	patterns map[string]*pattern
}

// noLoader reads nothing.
type noLoader struct{}

func (noLoader) Load(string) (any, error) { return nil, errors.New("remote schemas are not read") }

// compiler returns a compiler that holds the schema under baseURL.
func (s source) compiler(b *budget) (*santhosh.Compiler, error) {
	c := santhosh.NewCompiler()
	c.UseLoader(noLoader{})
	c.UseRegexpEngine(patternEngine(s.patterns, b))
	c.AssertFormat()
	return c, c.AddResource(baseURL, s.tree)
}

// plain compiles without guards: for checking the schema and for reading it.
func (s source) plain() (c *santhosh.Compiler, root *santhosh.Schema, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = errors.New("the schema can't be compiled") // the panic's text is for developers
		}
	}()
	if c, err = s.compiler(unlimited()); err != nil {
		return nil, nil, err
	}
	root, err = c.Compile(baseURL)
	return c, root, err
}

// validator is one compiled copy of a schema, for one validation at a time.
type validator struct {
	compiler *santhosh.Compiler
	root     *santhosh.Schema
	work     *budget
}

// validator compiles a guarded copy of a schema that plain accepted.
func (s source) validator() (*validator, error) {
	v := &validator{work: unlimited()}
	c, err := s.compiler(v.work)
	if err != nil {
		return nil, err
	}
	c.RegisterVocabulary(guardVocabulary(v.work))
	c.AssertVocabs()
	v.compiler = c
	v.root, err = c.Compile(baseURL)
	return v, err
}

// run validates the document of t against s, which is root or a part of it, with so much work.
// What is wrong with it is worded by t, and is no error. The error is [Faults] when checking
// came to no end, or why ctx is done.
func (v *validator) run(ctx context.Context, s *santhosh.Schema, work int, t translator) (found Violations, err error) {
	err = limited(t.speaker.root, func() {
		v.work.start(ctx, math.MaxInt)
		document := t.doc.Tree(v.work)
		v.work.start(ctx, work)
		var tree *santhosh.ValidationError
		if errors.As(s.Validate(document), &tree) {
			t.work = v.work
			found = t.faults(tree)
		}
	})
	*v.work = *unlimited() // until the next
	return found, err
}

// validators hands out compiled copies, made when they are wanted first: validations of
// one schema that run at the same time each need a budget of their own.
type validators struct {
	source source
	free   chan *validator
}

func newValidators(s source) *validators {
	return &validators{source: s, free: make(chan *validator, runtime.GOMAXPROCS(0))}
}

// get returns a copy. It is not expected to fail: plain accepted the schema.
func (p *validators) get() (*validator, error) {
	select {
	case v := <-p.free:
		return v, nil
	default:
		return p.source.validator()
	}
}

func (p *validators) put(v *validator) {
	select {
	case p.free <- v:
	default:
	}
}

// baseURL is the made-up address of the schema being compiled. It is
// hierarchical, so that relative references lead elsewhere and are refused.
const baseURL = "schema:///schema"

// pointerInSchema returns the JSON pointer for a location that the library
// gave, unless it lies in another document (a meta-schema).
func pointerInSchema(location string) (string, bool) {
	fragment, ok := strings.CutPrefix(location, baseURL+"#")
	if !ok {
		return "", false
	}
	pointer, err := url.PathUnescape(fragment)
	return pointer, err == nil
}

// locationOf is the inverse of pointerInSchema.
func locationOf(pointer string) string {
	tokens := strings.Split(pointer, "/")
	for i, token := range tokens {
		tokens[i] = url.PathEscape(token)
	}
	return baseURL + "#" + strings.Join(tokens, "/")
}
