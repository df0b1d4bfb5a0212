package jsonschema

import (
	"errors"
	"strings"
	"testing"
)

// object wraps properties in an object schema.
func object(properties string, more ...string) string {
	return `{"type":"object","properties":{` + properties + `}` + strings.Join(append([]string{""}, more...), ",") + `}`
}

func mustCompile(t testing.TB, schema string) *Schema {
	t.Helper()
	s, err := CompileParameters([]byte(schema))
	if err != nil {
		t.Fatalf("schema %s: %v", schema, err)
	}
	return s
}

// mustPrepare returns the prepared arguments and checks that preparing them again does not change
// them.
func mustPrepare(t testing.TB, s *Schema, args string) Arguments {
	t.Helper()
	got, err := s.Prepare(t.Context(), []byte(args))
	if err != nil {
		t.Fatalf("arguments %s: %v", args, err)
	}
	again, err := s.Prepare(t.Context(), got.JSON)
	if err != nil {
		t.Fatalf("arguments %s became %s, which has violations: %v", args, got.JSON, err)
	}
	if string(again.JSON) != string(got.JSON) || len(again.Warnings) > 0 {
		t.Errorf("arguments %s became %s and then %s, %q", args, got.JSON, again.JSON, again.Warnings)
	}
	return got
}

func violationsOf(t testing.TB, err error) Violations {
	t.Helper()
	var violations Violations
	if !errors.As(err, &violations) || len(violations) == 0 {
		t.Fatalf("want violations, got %v", err)
	}
	return violations
}

func schemaErrorsOf(t testing.TB, schema string) SchemaErrors {
	t.Helper()
	_, err := Compile([]byte(schema))
	var errs SchemaErrors
	if !errors.As(err, &errs) || len(errs) == 0 {
		t.Fatalf("schema %.200s: want errs, got %v", schema, err)
	}
	return errs
}
