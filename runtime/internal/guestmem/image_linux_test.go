package guestmem

import (
	"bytes"
	"errors"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/wasmtool/wasmtool/runtime/internal/memfdtest"
)

// Memories that share an image do not see each other's writes, and the image is freed with the last
// of them.
func TestImageIsShared(t *testing.T) {
	const size = 4 * PageSize
	s := newSystem(t)
	s.scanner.works() // creates an image of its own while it checks the kernel
	files, mapped := memfdtest.Open(t), memfdtest.Mapped(t)
	both := [2]*guest{}
	for n := range both {
		both[n] = newGuest(t, s, Options{Limit: 8 * PageSize}, size)
		fill(both[n].mem, 3)
	}
	want := bytes.Clone(both[0].mem)
	image, err := both[0].m.Save(nil)
	if err != nil {
		t.Fatal(err)
	}
	if equal, err := both[1].m.Adopt(image); !equal || err != nil {
		t.Fatalf("%v, %v", equal, err)
	}
	if got := memfdtest.Open(t); got != files+1 {
		t.Fatalf("%d images for two equal memories", got-files)
	}
	restore := func(g *guest) {
		t.Helper()
		if err := g.m.Restore(func() bool { return g.grow(1) }); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(g.mem, want) {
			t.Fatal("the memory differs from the image")
		}
	}
	for range 3 {
		for n, g := range both {
			fill(g.mem, 200)
			if !bytes.Equal(both[1-n].mem, want) {
				t.Fatal("a memory sees what another wrote")
			}
			restore(g)
		}
	}

	image.Release()
	if memfdtest.Open(t) != files+1 {
		t.Fatal("the image was freed while two memories hold it")
	}
	fill(both[0].mem, 200)
	both[0].m.Free()
	both[0].m.Free()
	if memfdtest.Open(t) != files+1 {
		t.Fatal("the image was freed while a memory holds it")
	}
	fill(both[1].mem, 200)
	restore(both[1])
	both[1].m.Free()
	if memfdtest.Open(t) != files || memfdtest.Mapped(t) != mapped {
		t.Errorf("%d images and %d mappings are left", memfdtest.Open(t)-files, memfdtest.Mapped(t)-mapped)
	}
}

// A memory that is saved again releases its previous image.
func TestSavingAgainReleasesPreviousImage(t *testing.T) {
	s := newSystem(t)
	s.scanner.works()
	files := memfdtest.Open(t)
	g := newGuest(t, s, Options{Limit: 4 * PageSize}, PageSize)
	for n := range 3 {
		fill(g.mem, byte(2*n))
		image, err := g.m.Save(nil)
		if err != nil {
			t.Fatal(err)
		}
		image.Release()
		if got := memfdtest.Open(t) - files; got != 1 {
			t.Fatalf("%d images after %d times", got, n+1)
		}
		fill(g.mem, 100)
		if err := g.m.Restore(nil); err != nil {
			t.Fatal(err)
		}
		if g.mem[0] != byte(2*n)|1 {
			t.Fatalf("restored to another image: %d", g.mem[0])
		}
	}
	g.m.Free()
	if memfdtest.Open(t) != files {
		t.Errorf("%d images are left", memfdtest.Open(t)-files)
	}
}

// The file behind an image is sealed: changing or truncating it would crash a guest's process.
func TestImageIsSealed(t *testing.T) {
	image, err := newImage(make([]byte, PageSize), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer image.Release()
	for name, err := range map[string]error{
		"cutting": unix.Ftruncate(image.fd, 0),
		"growing": unix.Ftruncate(image.fd, 2*PageSize),
	} {
		if !errors.Is(err, unix.EPERM) {
			t.Errorf("%s the image: %v", name, err)
		}
	}
	if _, err := unix.Pwrite(image.fd, []byte{1}, 0); !errors.Is(err, unix.EPERM) {
		t.Errorf("writing to the image: %v", err)
	}
	if image.Size() != PageSize {
		t.Errorf("it has %d bytes", image.Size())
	}
}

func TestEmptyMemoryIsNotSaved(t *testing.T) {
	m := newSystem(t).New(Options{Limit: PageSize})
	defer m.Free()
	for _, when := range []string{"before it has a size", "with a size of 0"} {
		if image, err := m.Save(nil); image != nil || !errors.Is(err, ErrUnsupported) {
			t.Errorf("%s: got %v, %v", when, image, err)
		}
		m.Reallocate(0)
	}
}
