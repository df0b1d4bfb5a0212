package guestmem

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/wasmtool/wasmtool/internal/testlevel"
	"github.com/wasmtool/wasmtool/runtime/internal/memfdtest"
)

// An image that shares pages with another image restores exactly its own content.
func TestImageOverBase(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	s := newSystem(t)
	s.scanner.works()
	files, mapped := memfdtest.Open(t), memfdtest.Mapped(t)
	for range testlevel.Size(20, 2000) {
		size := PageSize * uint64(1+r.IntN(40))
		first := newGuest(t, s, Options{Limit: 64 * PageSize}, size)
		scribble(r, first.mem)
		base, err := first.m.Save(nil)
		if err != nil {
			t.Fatal(err)
		}
		second := newGuest(t, s, Options{Limit: 64 * PageSize}, size+PageSize*uint64(r.IntN(3)))
		copy(second.mem, first.mem)
		scribble(r, second.mem)
		want := bytes.Clone(second.mem)
		image, err := second.m.Save(base)
		if err != nil {
			t.Fatal(err)
		}
		base.Release()
		if image.base != nil && image.OwnSize() > image.Size()/2 {
			t.Errorf("an image of %d bytes has %d of its own", image.Size(), image.OwnSize())
		}
		if !bytes.Equal(image.view, want) {
			t.Fatal("the image differs from the memory")
		}
		third := newGuest(t, s, Options{Limit: 64 * PageSize}, uint64(len(want)))
		copy(third.mem, want)
		if equal, err := third.m.Adopt(image); !equal || err != nil {
			t.Fatal(equal, err)
		}
		for _, g := range []*guest{second, third} {
			for range 3 {
				scribble(r, g.mem)
				if err := g.m.Restore(func() bool { return g.grow(1) }); err != nil {
					t.Fatal(err)
				}
				if !bytes.Equal(g.mem, want) {
					t.Fatal("the restored memory differs from the image")
				}
			}
		}
		image.Release()
		for _, g := range []*guest{first, second, third} {
			g.m.Free()
		}
	}
	if memfdtest.Open(t) != files || memfdtest.Mapped(t) != mapped {
		t.Errorf("%d images and %d mappings are left", memfdtest.Open(t)-files, memfdtest.Mapped(t)-mapped)
	}
}

func TestDifferent(t *testing.T) {
	const n = 2000
	base := make([]byte, n*block)
	change := func(blocks ...int) []byte {
		b := bytes.Clone(base)
		for _, at := range blocks {
			b[at*block+7]++
		}
		return b
	}
	var every []int // more parts than there may be
	for at := 0; at < n; at += 4 {
		every = append(every, at)
	}
	for name, tt := range map[string]struct {
		b    []byte
		want []part
	}{
		"equal":                          {change(), []part{}},
		"neighbours are joined":          {change(3, 4, 9), []part{{3 * block, 5 * block}, {9 * block, 10 * block}}},
		"longer":                         {append(change(1), make([]byte, 2*block)...), []part{{block, 2 * block}, {n * block, (n + 2) * block}}},
		"shorter":                        {change()[:block], nil},
		"too many, joined to almost all": {change(every...), nil},
	} {
		got := different(tt.b, base)
		if (got == nil) != (tt.want == nil) || len(got) != len(tt.want) {
			t.Errorf("%s: %v", name, got)
			continue
		}
		for i := range got {
			if got[i] != tt.want[i] {
				t.Errorf("%s: %v", name, got)
			}
		}
	}
	few := different(change(every[:60]...), base)
	if len(few) == 0 || len(few) > maxParts {
		t.Errorf("60 places became %d parts", len(few))
	}
}
