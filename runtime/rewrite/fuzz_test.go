package rewrite

import (
	"bytes"
	"math/rand/v2"
	"testing"
)

// partsOrNone splits a module at random. There are no parts if the module is refused.
func partsOrNone(t *testing.T, wasm []byte, seed uint64) [][]byte {
	t.Helper()
	if m, err := read(wasm); err != nil || m.parts != nil {
		return nil
	}
	if _, _, err := Rewrite(wasm, everything); err != nil {
		return nil
	}
	early, late, _ := inParts(t, wasm, randomLists(t, rand.New(rand.NewPCG(seed, seed)), wasm)...)
	return append([][]byte{early}, late...)
}

func FuzzRewrite(f *testing.F) {
	f.Add([]byte{}, uint8(0))
	f.Add([]byte("(module)"), uint8(0))
	f.Add(sample().Bytes(), uint8(0xff))
	f.Add(readingCommand().Bytes(), uint8(0xff))
	f.Add(brokenSelect(0x7d).Bytes(), uint8(16))
	for _, m := range endless() {
		f.Add(m.Bytes(), uint8(2))
	}
	for i, file := range corpus(f) {
		if i%40 == 0 && len(file.wasm) < 4096 {
			f.Add(file.wasm, uint8(i/40))
		}
	}
	r := newRuntime(f)
	f.Fuzz(func(t *testing.T, wasm []byte, flags uint8) {
		o := Options{
			MaxTableElements: 1000,
			Meter:            flags&2 != 0, Checkpoint: flags&32 != 0, ExportState: flags&4 != 0, ExportStart: flags&8 != 0, SplitSelects: flags&16 != 0,
		}
		out, rep, err := Rewrite(wasm, o)
		requireTyped(t, "input", err)
		if err != nil {
			return
		}
		again, _, err := Rewrite(wasm, o)
		if err != nil || !bytes.Equal(out, again) {
			t.Fatalf("the second run differs: %v", err)
		}
		rep.Origin()
		if _, err := Originals(wasm, o, []Place{{0, 1}, {1, 1 << 31}, {1 << 31, 2}}); err != nil {
			t.Fatalf("the places of the output are not found: %v", err)
		}
		after, err := Inspect(out)
		if err != nil {
			t.Fatalf("the output can't be read back: %v", err)
		}
		if after.Functions < rep.Functions || len(after.Exports) < len(rep.Exports) || len(after.CustomSections) != 0 {
			t.Fatalf("the output is %+v, the input %+v", after, rep)
		}
		// A valid module stays valid, and an invalid one invalid.
		before, now := compiles(r, wasm), compiles(r, out)
		if before == nil && now != nil {
			t.Fatalf("the engine accepts the input but not the output: %v", now)
		}
		if flags&64 == 0 || before != nil {
			return
		}
		for i, part := range partsOrNone(t, wasm, uint64(flags)) {
			if err := compiles(r, part); err != nil {
				t.Fatalf("the engine accepts the input but not its part %d: %v", i, err)
			}
		}
	})
}
