package files_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/wasmtool/wasmtool/hostfuncs/files"
)

// benchPath is four directories deep, as in a source tree.
const benchPath = "a/b/c/d/f"

func benchMounts(b *testing.B, run func(b *testing.B, view files.View)) {
	dir := b.TempDir()
	write(b, dir, map[string]string{benchPath: strings.Repeat("x", 4096)})
	b.Run("plain", func(b *testing.B) { run(b, newFS(b, read("w", dir)).View("/w")) })
	b.Run("deny", func(b *testing.B) {
		run(b, newFS(b, read("w", dir, "**/.env", ".git/**", "**/*.{pem,key}")).View("/w"))
	})
}

func BenchmarkOpenReadClose(b *testing.B) {
	buf := make([]byte, 8192)
	benchMounts(b, func(b *testing.B, view files.View) {
		for b.Loop() {
			f, err := view.Open(benchPath, 0)
			if err != nil {
				b.Fatal(err)
			}
			if n, err := f.Read(buf); n != 4096 || err != nil {
				b.Fatal(n, err)
			}
			if err := f.Close(); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func BenchmarkStat(b *testing.B) {
	benchMounts(b, func(b *testing.B, view files.View) {
		for b.Loop() {
			if _, err := view.Stat(benchPath); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// BenchmarkReplace replaces a file of 4 KiB atomically, as tools do.
func BenchmarkReplace(b *testing.B) {
	content := strings.Repeat("x", 4096)
	for name, deny := range map[string][]string{"plain": nil, "deny": {"**/.env", ".git/**"}} {
		b.Run(name, func(b *testing.B) {
			dir := b.TempDir()
			write(b, dir, map[string]string{benchPath: content})
			o := files.Options{MaxWritten: 1 << 50, MaxCreated: 1 << 50}
			view := newFSWith(b, o, readWrite("w", dir, deny...)).View("/w")
			for b.Loop() {
				if err := writeFile(view, "a/b/c/d/"+files.TempPrefix, content); err != nil {
					b.Fatal(err)
				}
				if err := view.Rename("a/b/c/d/"+files.TempPrefix, benchPath); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkWrite writes 4 KiB at a time to an open file.
func BenchmarkWrite(b *testing.B) {
	buf := make([]byte, 4096)
	f, err := newFSWith(b, files.Options{MaxWritten: 1 << 50}, readWrite("w", b.TempDir())).View("/w").Open("f", create)
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := f.WriteAt(buf, 0); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkScratch creates and removes scratch space that the call does not use.
func BenchmarkScratch(b *testing.B) {
	o := files.Options{ScratchIn: b.TempDir()}
	for b.Loop() {
		fsys, err := files.New(grants(scratch()), o)
		if err != nil {
			b.Fatal(err)
		}
		if err := fsys.Close(); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkRemoveFullScratch removes scratch space that holds as many files as a call may create.
func BenchmarkRemoveFullScratch(b *testing.B) {
	o := files.Options{ScratchIn: b.TempDir()}
	for b.Loop() {
		b.StopTimer()
		fsys, err := files.New(grants(scratch()), o)
		if err != nil {
			b.Fatal(err)
		}
		for i := range files.DefaultMaxCreated {
			if err := writeFile(fsys.View("/tmp"), strconv.Itoa(i), "x"); err != nil {
				b.Fatal(err)
			}
		}
		b.StartTimer()
		closed(b, fsys)
	}
}

func BenchmarkNew(b *testing.B) {
	dir := b.TempDir()
	for b.Loop() {
		fsys, err := files.New(grants(read("w", dir, "**/.env", ".git/**")), files.Options{})
		if err != nil {
			b.Fatal(err)
		}
		if err := fsys.Close(); err != nil {
			b.Fatal(err)
		}
	}
}
