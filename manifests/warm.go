package manifests

import (
	"slices"

	"github.com/wasmtool/wasmtool/internal/jsonschema"
	"github.com/wasmtool/wasmtool/internal/stricttoml"
)

// warmUp makes the input of the warm-up from its arguments, in the same way as the input of a call.
func (c *checker) warmUp(m *Manifest) {
	if c.warm == nil {
		return
	}
	steps := []string{"module", "warm"}
	arguments, ok := c.fit(m, c.warm, steps)
	if !ok {
		return
	}
	at := c.At(steps...)
	stdin := m.Module.Stdin
	input := stdin.Input(arguments.JSON, arguments.Text)
	switch {
	case len(input) > MaxWarmBytes:
		c.Errorf(at, "makes an input of %d bytes; the limit is %s", len(input), stricttoml.FormatSize(MaxWarmBytes))
	case len(input) > 0:
		m.Module.Warm = input
	// If the parameter is not declared, the error is already reported for stdin.
	case stdin.Kind == StdinNone || declares(m.Parameters, stdin.Parameter):
		c.Errorf(at, "makes an empty input with stdin = %s, but a warm-up needs an input; change warm or stdin", stricttoml.Quote(stdin.String()))
	}
}

func declares(schema *jsonschema.Schema, name string) bool {
	return slices.ContainsFunc(schema.Parameters(), func(p jsonschema.Parameter) bool { return p.Name == name })
}
