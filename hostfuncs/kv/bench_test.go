package kv_test

import (
	"testing"

	"github.com/wasmtool/wasmtool/hostfuncs/kv"
)

func BenchmarkGet(b *testing.B) {
	for name, open := range stores {
		b.Run(name, func(b *testing.B) {
			s := open(b, kv.Options{})
			must(b, s.Put(b.Context(), here, "k", make([]byte, 100)))
			for b.Loop() {
				if _, err := s.Get(b.Context(), here, "k"); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkPut(b *testing.B) {
	for name, open := range stores {
		b.Run(name, func(b *testing.B) {
			s := open(b, kv.Options{})
			value := make([]byte, 100)
			for i := 0; b.Loop(); i++ {
				value[0], value[1] = byte(i), byte(i>>8)
				must(b, s.Put(b.Context(), here, "k", value))
			}
		})
	}
}
