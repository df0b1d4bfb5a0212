package jsonschema

import (
	"strings"
	"testing"
)

// The work for a number grows with the number of its digits, counted with the exponent expanded.
// The work is charged for each keyword that calculates with the number.
func TestNumbersCountByTheirDigits(t *testing.T) {
	five := func(keyword string) string {
		var parts []string
		for _, n := range []string{"2", "3", "5", "7", "11"} {
			parts = append(parts, `{"`+keyword+`":`+n+`e-300}`)
		}
		return `{"items":{"allOf":[` + strings.Join(parts, ",") + `]}}`
	}
	for name, schema := range map[string]string{
		"multipleOf":       five("multipleOf"),
		"minimum":          five("minimum"),
		"maximum":          `{"items":{"maximum":1e1024}}`,
		"exclusiveMinimum": five("exclusiveMinimum"),
		"exclusiveMaximum": `{"items":{"exclusiveMaximum":1e1024}}`,
		"in branches":      `{"items":{"anyOf":[{"multipleOf":3e-300},{"multipleOf":1e-300}]}}`,
	} {
		s := mustCompile(t, object(`"p":`+schema))
		args := []byte(`{"p":[` + strings.Repeat("1e1000,", 40_000) + `1]}`)
		violations := violationsOf(t, second(s.Prepare(t.Context(), args)))
		if violations[0].Kind != KindLimit || !strings.Contains(violations[0].Message, "too much work") {
			t.Errorf("%s of large numbers: got %.200v", name, violations)
		}
	}
	s := mustCompile(t, object(`"p":{"items":{"multipleOf":0.01,"minimum":-90,"exclusiveMaximum":1e9}}`))
	mustPrepare(t, s, `{"p":[`+strings.Repeat("45.25,", 200_000)+`1e5]}`)
}
