package manifests

import (
	"errors"
	"slices"

	"github.com/wasmtool/wasmtool/internal/jsonschema"
	"github.com/wasmtool/wasmtool/internal/stricttoml"
)

// readWarm notes the arguments of the warm-up until the parameters are known.
func (c *checker) readWarm(at stricttoml.Place, n *stricttoml.Node) {
	if raw, ok := c.JSON(at, n); ok {
		c.warm = raw
	}
}

// warmUp makes the input of the warm-up as that of a call is made. It is stricter in
// one thing: the author of a manifest is told of what the caller of a tool is forgiven.
func (c *checker) warmUp(m *Manifest) {
	if c.warm == nil {
		return
	}
	at := c.At("module", "warm")
	arguments, err := m.Parameters.Prepare(c.warm)
	var faults jsonschema.Faults
	if err != nil && !errors.As(err, &faults) {
		faults = jsonschema.Faults{{Message: err.Error()}}
	}
	for _, fault := range faults {
		where := append([]string{"module", "warm"}, pointerSteps(fault.Pointer)...)
		c.Fault(c.At(where...), "%s", fault.Message)
	}
	for _, warning := range arguments.Warnings {
		c.Fault(at, "not all of it would reach a call: %s", warning)
	}
	if err != nil {
		return
	}
	stdin := m.Module.Stdin
	input := stdin.Input(arguments.JSON, arguments.Text)
	switch {
	case len(input) > MaxWarmBytes:
		c.Fault(at, "makes an input of %d bytes; the ceiling is %s", len(input), stricttoml.FormatSize(MaxWarmBytes))
	case len(input) > 0:
		m.Module.Warm = input
	case stdin.Kind == StdinNone || declares(m.Parameters, stdin.Parameter): // else stdin has a fault
		c.Fault(at, "makes an empty input with stdin = %s, and nothing is warmed up without one; change one of the two", stricttoml.Quote(stdin.String()))
	}
}

func declares(schema *jsonschema.Schema, name string) bool {
	return slices.ContainsFunc(schema.Parameters(), func(p jsonschema.Parameter) bool { return p.Name == name })
}
