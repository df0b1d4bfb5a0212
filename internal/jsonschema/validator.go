package jsonschema

import (
	"errors"
	"fmt"
	"runtime"

	santhosh "github.com/santhosh-tekuri/jsonschema/v6"
)

// source is what compiling a schema needs. It is shared and never changed.
type source struct {
	tree     any
	patterns map[string]*pattern
}

// errRemote is what the loader answers, whatever is asked.
var errRemote = errors.New("remote schemas are not read")

// noLoader reads nothing.
type noLoader struct{}

func (noLoader) Load(string) (any, error) { return nil, errRemote }

// compiler returns a compiler that holds the schema under baseURL.
func (s *source) compiler(b *budget) (*santhosh.Compiler, error) {
	c := santhosh.NewCompiler()
	c.UseLoader(noLoader{})
	c.UseRegexpEngine(patternEngine(s.patterns, b))
	c.AssertFormat()
	return c, c.AddResource(baseURL, s.tree)
}

// plain compiles without guards: for checking the schema and for reading it.
func (s *source) plain() (c *santhosh.Compiler, root *santhosh.Schema, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = errLibrary
		}
	}()
	b := &budget{}
	b.unlimited()
	if c, err = s.compiler(b); err != nil {
		return nil, nil, err
	}
	root, err = c.Compile(baseURL)
	return c, root, err
}

// errLibrary stands for a panic of the library, whose text is for developers.
var errLibrary = errors.New("the schema can't be compiled")

// validator is one compiled copy of a schema, for one validation at a time.
type validator struct {
	compiler *santhosh.Compiler
	root     *santhosh.Schema
	work     *budget
}

// validator compiles a guarded copy of a schema that plain accepted.
func (s *source) validator() (*validator, error) {
	v := &validator{work: &budget{}}
	v.work.unlimited()
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

// run validates a document against root or a part of it, with so much work. The
// error tree is nil if it fits; the fault is set if checking came to no end.
func (v *validator) run(s *santhosh.Schema, doc any, work int, what string) (tree *santhosh.ValidationError, fault *Fault) {
	defer func() {
		switch r := recover(); r.(type) {
		case nil:
		case outOfWork:
			tree, fault = nil, &Fault{Kind: KindLimit, Message: fmt.Sprintf(
				"checking %s against the schema takes too much work; send less, or simplify the schema", what)}
		default:
			// The text of the panic is for developers of the library.
			tree, fault = nil, unchecked(what)
		}
	}()
	v.work.left = work
	err := s.Validate(doc)
	errors.As(err, &tree)
	return tree, nil
}

// unchecked is the fault of a document that the library cannot cope with.
func unchecked(what string) *Fault {
	return &Fault{Kind: KindLimit, Message: what + " can't be checked against the schema; send simpler values"}
}

// validators hands out compiled copies, made when they are wanted first: validations of
// one schema that run at the same time each need a budget of their own.
type validators struct {
	source *source
	free   chan *validator
}

func newValidators(s *source) *validators {
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
