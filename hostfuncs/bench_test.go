package hostfuncs_test

import (
	"strings"
	"testing"

	"github.com/wasmtool/wasmtool/hostfuncs"
)

// The path is four directories deep, as in a source tree.
const benchPath = "a/b/c/d/f"

func benchMounts(b *testing.B, run func(b *testing.B, view hostfuncs.View)) {
	dir := b.TempDir()
	write(b, dir, map[string]string{benchPath: strings.Repeat("x", 4096)})
	b.Run("plain", func(b *testing.B) { run(b, newFS(b, read("w", dir)).View("/w")) })
	b.Run("deny", func(b *testing.B) {
		run(b, newFS(b, read("w", dir, "**/.env", ".git/**", "**/*.{pem,key}")).View("/w"))
	})
}

func BenchmarkOpenReadClose(b *testing.B) {
	buf := make([]byte, 8192)
	benchMounts(b, func(b *testing.B, view hostfuncs.View) {
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
	benchMounts(b, func(b *testing.B, view hostfuncs.View) {
		for b.Loop() {
			if _, err := view.Stat(benchPath); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func BenchmarkNewFS(b *testing.B) {
	dir := b.TempDir()
	for b.Loop() {
		files, err := hostfuncs.NewFS(grants(read("w", dir, "**/.env", ".git/**")), hostfuncs.Options{})
		if err != nil {
			b.Fatal(err)
		}
		if err := files.Close(); err != nil {
			b.Fatal(err)
		}
	}
}
