package rewrite

import (
	"bytes"
	"testing"
)

func FuzzRewrite(f *testing.F) {
	f.Add([]byte{}, false)
	f.Add([]byte("(module)"), false)
	f.Add(sample().Bytes(), true)
	f.Add(callTree(2).Bytes(), true)
	for i, file := range corpus(f) {
		if i%40 == 0 && len(file.wasm) < 4096 {
			f.Add(file.wasm, i%80 == 0)
		}
	}
	r := newRuntime(f)
	f.Fuzz(func(t *testing.T, wasm []byte, entryChecks bool) {
		o := Options{EntryChecks: entryChecks, MaxTableElements: 1000}
		out, rep, err := Rewrite(wasm, o)
		requireTyped(t, "input", err)
		if err != nil {
			return
		}
		again, _, err := Rewrite(wasm, o)
		if err != nil || !bytes.Equal(out, again) {
			t.Fatalf("the second run differs: %v", err)
		}
		after, err := Inspect(out)
		if err != nil {
			t.Fatalf("the output can't be read back: %v", err)
		}
		if after.Functions != rep.Functions || len(after.Exports) != len(rep.Exports) || len(after.CustomSections) != 0 {
			t.Fatalf("the output is %+v, the input %+v", after, rep)
		}
		if compiles(r, wasm) != nil {
			return
		}
		if err := compiles(r, out); err != nil {
			t.Fatalf("the engine takes the input but not the output: %v", err)
		}
	})
}
