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

// invalidArgument is the error code of a call whose arguments do not fit the parameters.
const invalidArgument = "invalid_argument"

// examples checks the rules that involve more than one key of an example.
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
		if problem := e.conflict(); problem != "" {
			c.Errorf(at(), "%s", problem)
		}
		if !e.Now.IsZero() && !m.Permissions.Clock {
			c.Errorf(at("now"), "the tool does not ask for the clock; add permissions.clock = true, or leave now out")
		}
		if e.Network && len(m.asks) == 0 && m.REST == nil && m.MCP == nil {
			c.Errorf(at("network"), "the tool does not ask for the network; remove network")
		}
		for _, file := range slices.Concat(e.Files, e.After) {
			c.exampleMount(m, at, file.ExamplePath)
		}
		for _, path := range e.Gone {
			c.exampleMount(m, at, path)
		}
	}
}

// exampleMount reports a file in a mount that the tool does not ask for, or in the scratch mount.
func (c *checker) exampleMount(m *Manifest, at func(...string) stricttoml.Place, path ExamplePath) {
	if !asksMount(m.Permissions, path.Mount) {
		c.Errorf(at(), "%s is in the mount %q, which the tool does not ask for, or which is empty when a call begins; name a mount of [[permissions.fs]], as in \"mount:path\"", stricttoml.Quote(path.String()), path.Mount)
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
		if e.Error != invalidArgument {
			c.fit(m, e.Arguments, append(in, "arguments"))
		}
	}
}

// fit prepares arguments from the manifest in the same way as the arguments of a call. A mistake
// that only causes a warning in a call is an error here.
func (c *checker) fit(m *Manifest, raw json.RawMessage, steps []string) (jsonschema.Arguments, bool) {
	arguments, err := m.Parameters.Prepare(context.Background(), raw)
	var violations jsonschema.Violations
	if err != nil && !errors.As(err, &violations) {
		violations = jsonschema.Violations{{Message: err.Error()}}
	}
	for _, v := range violations {
		c.Errorf(c.At(slices.Concat(steps, pointerSteps(v.Pointer))...), "%s", v.Message)
	}
	for _, warning := range arguments.Warnings {
		c.Errorf(c.At(steps...), "the tool would not receive all arguments: %s", warning)
	}
	return arguments, err == nil
}
