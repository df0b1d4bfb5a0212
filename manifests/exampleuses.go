package manifests

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strconv"

	"github.com/wasmtool/wasmtool/internal/jsonschema"
	"github.com/wasmtool/wasmtool/internal/stricttoml"
)

// failsArguments is the code of calls whose arguments do not fit, which an example may show.
const failsArguments = "invalid_argument"

// examples checks what concerns more than one key of an example.
func (c *checker) examples(m *Manifest) {
	if c.HasError(c.At("examples")) {
		return
	}
	if len(m.Examples) > MaxExamples {
		c.Errorf(c.At("examples"), "has %d examples; the limit is %d", len(m.Examples), MaxExamples)
		return
	}
	titles := make(map[string]bool)
	for i := range m.Examples {
		e := &m.Examples[i]
		at := func(steps ...string) stricttoml.Place {
			return c.At(append([]string{"examples", strconv.Itoa(i)}, steps...)...)
		}
		if titles[e.Title] {
			c.Errorf(at("title"), "%s is the title of an earlier example; say what is different here", stricttoml.Quote(e.Title))
		}
		titles[e.Title] = true
		if fault := e.mismatched(); fault != "" {
			c.Errorf(at(), "%s", fault)
		}
		if !e.Now.IsZero() && !m.Permissions.Clock {
			c.Errorf(at("now"), "the tool asks for no clock; add permissions.clock = true, or leave it out")
		}
		if e.Network && len(m.asks) == 0 && m.REST == nil {
			c.Errorf(at("network"), "the tool asks for no network; leave it out")
		}
		for _, file := range slices.Concat(e.Files, e.After) {
			c.exampleMount(m, at, file.ExamplePath)
		}
		for _, path := range e.Gone {
			c.exampleMount(m, at, path)
		}
	}
}

// exampleMount reports a file in a mount that the tool never sees.
func (c *checker) exampleMount(m *Manifest, at func(...string) stricttoml.Place, path ExamplePath) {
	if !asksMount(m.Permissions, path.Mount) {
		c.Errorf(at(), "%s is in the mount %q, which the tool does not ask for or gets empty; name a mount of [[permissions.fs]], as in \"mount:path\"", stricttoml.Quote(path.String()), path.Mount)
	}
}

// exampleCallsFit checks the arguments of examples against the parameters.
func (c *checker) exampleCallsFit(m *Manifest) {
	if c.HasError(c.At("examples")) {
		return
	}
	for i, e := range m.Examples {
		in := []string{"examples", strconv.Itoa(i)}
		for j, before := range e.Before {
			c.fit(m, before, append(slices.Clone(in), "before", strconv.Itoa(j)))
		}
		if e.Error != failsArguments {
			c.fit(m, e.Arguments, append(in, "arguments"))
		}
	}
}

// fit prepares arguments that stand in the manifest as those of a call are. It is stricter
// in one thing: the author of a manifest is told of what the caller of a tool is forgiven.
func (c *checker) fit(m *Manifest, raw json.RawMessage, steps []string) (jsonschema.Arguments, bool) {
	arguments, err := m.Parameters.Prepare(context.Background(), raw)
	var faults jsonschema.Violations
	if err != nil && !errors.As(err, &faults) {
		faults = jsonschema.Violations{{Message: err.Error()}}
	}
	for _, fault := range faults {
		c.Errorf(c.At(slices.Concat(steps, pointerSteps(fault.Pointer))...), "%s", fault.Message)
	}
	for _, warning := range arguments.Warnings {
		c.Errorf(c.At(steps...), "not all of it would reach a call: %s", warning)
	}
	return arguments, err == nil
}
