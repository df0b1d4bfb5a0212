package measure

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/wasmtool/wasmtool/bench/internal/peer"
)

// Kind is one kind of programs that others wrote. The cost of metering them has a target.
type Kind struct {
	Name     string
	Programs []string
}

// Corpus returns the programs that corpus/build.sh builds.
func Corpus() []Kind {
	return []Kind{
		{"c", []string{"bzip2", "cjson", "cmark", "kissfft", "onig", "picosat", "sqlite", "webp", "xxhash", "zstd"}},
		{"go", []string{"chroma", "compress", "esbuild", "goldmark", "gojq", "gonum", "image", "minify", "sh", "starlark"}},
		{"interpreters", []string{
			"js-acorn", "js-handlebars", "js-katex", "js-marked", "lua-life",
			"python-differences", "python-template", "python-unparse", "ruby-matrix", "ruby-nbody",
		}},
	}
}

// files returns the files of a program. The name of a script begins with its interpreter.
func (r *Price) files(corpus string) peer.ProgramFiles {
	files := peer.ProgramFiles{Data: filepath.Join(corpus, "data")}
	interpreter, script, _ := strings.Cut(r.Loop, "-")
	script = "/data/scripts/" + script
	switch {
	case r.Guest != "interpreters":
		files.Module = filepath.Join(corpus, r.Guest+"_"+r.Loop+".wasm")
		return files
	case interpreter == "python":
		files.Args = []string{"/usr/local/bin/python3", "-S", "-B", "-X", "utf8", script + ".py"}
	case interpreter == "ruby":
		files.Args = []string{"ruby", script + ".rb"}
	default:
		files.Args = []string{interpreter, script + "." + interpreter}
	}
	files.Module = filepath.Join(corpus, interpreter+".wasm")
	return files
}

// Programs measures the overhead of metering programs that others wrote. It measures the variants
// whose names match: metering, kind, program and variant, separated by slashes.
func Programs(ctx context.Context, s peer.Setup, p Plan, match func(string) bool, progress func(string)) []Price {
	var prices []Price
	for _, kind := range Corpus() {
		for _, program := range kind.Programs {
			variants := []peer.Variant{peer.Unmetered}
			for _, v := range Variants()[1:] {
				if match(path.Join("metering", kind.Name, program, string(v))) {
					variants = append(variants, v)
				}
			}
			if len(variants) == 1 {
				continue
			}
			progress(fmt.Sprintf("metering: %s, %s", kind.Name, program))
			price := Price{Guest: kind.Name, Loop: program}
			if err := price.program(ctx, s, p.Programs, variants); err != nil {
				price.Missing = reason(err)
			}
			prices = append(prices, price)
		}
	}
	return prices
}

// program measures one program in the variants. All must print the same in each run.
func (r *Price) program(ctx context.Context, s peer.Setup, rounds int, variants []peer.Variant) error {
	files := r.files(s.Corpus)
	if err := built(files.Module, filepath.Join(s.Corpus, r.Guest+"_"+r.Loop+".missing")); err != nil {
		return err
	}
	running := make(map[peer.Variant]*peer.Program)
	defer func() {
		for _, p := range running {
			p.Close()
		}
	}()
	var want []byte
	run := func(v peer.Variant) error {
		out, err := running[v].Run(ctx)
		if err != nil {
			return fmt.Errorf("%s: %w: %s", v, err, bytes.TrimSpace(out))
		}
		if want == nil {
			want = bytes.Clone(out)
		}
		if len(out) == 0 || !bytes.Equal(out, want) {
			return fmt.Errorf("%s: printed %q, not %q", v, out, want)
		}
		return nil
	}
	for _, v := range variants {
		p, err := peer.OpenProgram(ctx, files, v, s.Cache)
		if err != nil {
			return err
		}
		running[v] = p
		if err := run(v); err != nil {
			return err
		}
	}
	return r.compare(rounds, 1, run, variants)
}

// built returns why a program of the corpus was not built, or nil. missing is the file with the
// reason, which the script that builds the corpus writes.
func built(module, missing string) error {
	why, err := os.ReadFile(missing)
	if err == nil {
		return fmt.Errorf("corpus/build.sh failed; run it again with the network, or correct the version in corpus/fetch.sh: %s", bytes.TrimSpace(why))
	}
	if _, err := os.Stat(module); err != nil {
		return errors.New("not built; run corpus/build.sh first")
	}
	return nil
}
