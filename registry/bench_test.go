package registry

import (
	"fmt"
	"testing"
)

// BenchmarkExecute measures what the registry adds to the cost of a call.
func BenchmarkExecute(b *testing.B) {
	r := New(Options{})
	if err := r.Tools().Register(echo(), &fake{}); err != nil {
		b.Fatal(err)
	}
	for _, session := range []string{"", "s"} {
		b.Run("session="+session, func(b *testing.B) {
			n := 0
			for b.Loop() {
				n++
				call := say(fmt.Sprint("text ", n))
				call.Session = session
				if _, err := r.Execute(b.Context(), call); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
