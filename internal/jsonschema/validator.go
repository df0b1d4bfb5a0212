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

// source holds everything that is needed to compile a schema. It is shared and immutable.
type source struct {
	tree     any
	patterns map[string]*pattern
}

// noLoader refuses to load schemas.
type noLoader struct{}

func (noLoader) Load(string) (any, error) { return nil, errors.New("remote schemas are not read") }

// compiler returns a compiler that knows the schema by the address baseURL.
func (s source) compiler(b *budget) (*santhosh.Compiler, error) {
	c := santhosh.NewCompiler()
	c.UseLoader(noLoader{})
	c.UseRegexpEngine(patternEngine(s.patterns, b))
	c.AssertFormat()
	for _, format := range formats() {
		c.RegisterFormat(format)
	}
	return c, c.AddResource(baseURL, s.tree)
}

// plain compiles the schema without guards, to check and to read it.
func (s source) plain() (c *santhosh.Compiler, root *santhosh.Schema, err error) {
	defer func() {
		if r := recover(); r != nil {
			// The message of the panic is only for developers of the library.
			err = errors.New("the schema can't be compiled")
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

// validator compiles a copy of the schema with guards. Call it only after s.plain has accepted the
// schema.
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

// run validates the document of t against s, which is the root or a part of it, with a budget of
// work. found holds the violations of the document. err is not nil if the check did not finish:
// [Violations] if it took too much work, or the cause of ctx.
func (v *validator) run(ctx context.Context, s *santhosh.Schema, work int, t translator) (found Violations, err error) {
	err = limited(t.namer.root, func() {
		v.work.start(ctx, math.MaxInt)
		document := t.doc.Tree(v.work)
		v.work.start(ctx, work)
		if tree, ok := errors.AsType[*santhosh.ValidationError](s.Validate(document)); ok {
			t.work = v.work
			found = t.violations(tree)
		}
	})
	*v.work = *unlimited() // the copy has no limit until its next run
	return found, err
}

// validators is a pool of compiled copies of a schema. Concurrent validations need copies of their
// own, because each copy has one budget.
type validators struct {
	source source
	free   chan *validator
}

func newValidators(s source) *validators {
	return &validators{source: s, free: make(chan *validator, runtime.GOMAXPROCS(0))}
}

// get returns a copy of the schema, and compiles one if none is free. Compiling is not expected to
// fail, because the method plain accepted the schema.
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

// baseURL is the artificial address of the schema being compiled. It is hierarchical, so that
// relative references lead to other addresses and are refused.
const baseURL = "schema:///schema"

// pointerInSchema returns the JSON pointer for a location that the library reports. It returns
// false if the location is in another document, which is a meta-schema.
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
