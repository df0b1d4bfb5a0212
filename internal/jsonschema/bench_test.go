package jsonschema

import (
	"strings"
	"testing"
)

const benchSchema = `{"type":"object","required":["pattern"],"properties":{
	"pattern":{"type":"string","description":"what to look for"},
	"path":{"type":"string","default":"."},
	"limit":{"type":"integer","minimum":1,"maximum":1000,"default":100}}}`

func BenchmarkPrepare(b *testing.B) {
	s := mustCompile(b, benchSchema)
	args := []byte(`{"pattern":"func main","path":"cmd","limit":"20"}`)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := s.Prepare(b.Context(), args); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkPrepareLarge(b *testing.B) {
	s := mustCompile(b, object(`"rows":{"type":"array","items":`+object(`"a":{"type":"integer"},"b":{"type":"string"}`)+`}`))
	args := []byte(`{"rows":[` + strings.Repeat(`{"a":1,"b":"xyz"},`, 10000) + `{"a":2}]}`)
	b.SetBytes(int64(len(args)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := s.Prepare(b.Context(), args); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkCompile(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if _, err := CompileParameters([]byte(benchSchema)); err != nil {
			b.Fatal(err)
		}
	}
}
