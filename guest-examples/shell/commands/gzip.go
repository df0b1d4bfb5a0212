package commands

import (
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"syscall"
)

const gzipOptions = "c,stdout,to-stdout d,decompress,uncompress k,keep f,force n,no-name N,name t,test v,verbose q,quiet 1,fast 2 3 4 5 6 7 8 9,best r,recursive l S:"

var gzipSpec = spec{name: "gzip", synopsis: "[-cdfkt] [-1..-9] [FILE]...", options: gzipOptions, run: runGzip}

var gunzip = spec{
	name: "gunzip", synopsis: "[-cfkt] [FILE]...", options: gzipOptions,
	run: func(p *process, o options, files []string) int { return runGzip(p, append(o, option{"d", ""}), files) },
}

var zcat = spec{
	name: "zcat", synopsis: "[FILE]...", options: gzipOptions,
	run: func(p *process, o options, files []string) int {
		return runGzip(p, append(o, option{"d", ""}, option{"c", ""}), files)
	},
}

// packer is one run of gzip.
type packer struct {
	p                   *process
	unpack, test, toOut bool
	keep, force         bool
	quiet, verbose      bool
	suffix              string
	level               int
	left                int64
}

func runGzip(p *process, o options, files []string) int {
	if o.has("N") {
		return p.fail("-N is not supported: the files have the names of the archives; omit it")
	}
	if o.has("r") || o.has("l") {
		return p.fail("-r and -l are not supported; list the files with find or a glob")
	}
	g := packer{p: p, unpack: o.has("d") || o.has("t"), test: o.has("t"), toOut: o.has("c") || o.has("t"), keep: o.has("k"), force: o.has("f"), quiet: o.has("q"), verbose: o.has("v") && !o.has("q"), suffix: o.value("S", ".gz"), level: gzip.DefaultCompression, left: maxUnpacked}
	if level := o.last("1", "2", "3", "4", "5", "6", "7", "8", "9"); level != "" {
		g.level = int(level[0] - '0')
	}
	if len(files) == 0 {
		files = []string{"-"}
	}
	for _, name := range files {
		if p.stopped() {
			break
		}
		if err := g.file(name); err != nil && p.outErr == nil {
			if errors.Is(err, errUnchanged) && g.quiet {
				p.status = 2
				continue
			}
			if name == "-" {
				name = "stdin"
			}
			p.errorf("%s: %s", name, explainGzip(err))
			if errors.Is(err, errUnchanged) || errors.Is(err, syscall.EISDIR) {
				p.status = 2
			}
		}
	}
	return p.status
}

// errUnchanged is the warning that a file was left unchanged. Warnings have their own exit status.
var errUnchanged = errors.New("unchanged")

func explainGzip(err error) string {
	switch {
	case errors.Is(err, gzip.ErrHeader):
		return "not in gzip format"
	case errors.Is(err, gzip.ErrChecksum):
		return "invalid compressed data--crc error"
	case errors.Is(err, io.ErrUnexpectedEOF):
		return "unexpected end of file"
	}
	return message(err)
}

func (g *packer) file(name string) error {
	r, err := g.p.open(name)
	if err != nil && g.unpack && !strings.HasSuffix(name, g.suffix) {
		if other, err2 := g.p.open(name + g.suffix); err2 == nil {
			r, err, name = other, nil, name+g.suffix
		}
	}
	if err != nil {
		return err
	}
	defer r.Close()
	if name == "-" || g.toOut {
		if g.test {
			return g.transform(io.Discard, r)
		}
		return g.transform(g.p, r)
	}
	target := name + g.suffix
	if g.unpack {
		var ok bool
		if target, ok = strings.CutSuffix(name, g.suffix); !ok {
			if target, ok = strings.CutSuffix(name, ".tgz"); !ok {
				return fmt.Errorf("unknown suffix -- %w", errUnchanged)
			}
			target += ".tar"
		}
	} else if strings.HasSuffix(name, g.suffix) && !g.force {
		if !g.quiet {
			g.p.flush()
			fmt.Fprintf(g.p.env.Stderr, "gzip: %s already has %s suffix -- unchanged\n", name, g.suffix)
		}
		return nil
	}
	if _, err := os.Lstat(g.p.path(target)); err == nil && !g.force {
		g.p.errorf("%s already exists; use -f to overwrite it", target)
		return nil
	}
	return g.replace(name, target, r)
}

// replace writes the target and removes the source, unless an option such as -k keeps the source.
func (g *packer) replace(name, target string, r io.Reader) error {
	info, err := os.Stat(g.p.path(name))
	if err != nil {
		return err
	}
	w, err := g.p.create(target, os.O_TRUNC)
	if err != nil {
		return err
	}
	err = firstError(g.transform(w, r), w.Close())
	if err == nil && g.p.stopped() {
		err = errors.New("interrupted")
	}
	if err != nil {
		return firstError(err, os.Remove(g.p.path(target)))
	}
	if g.verbose {
		g.report(name, target, info.Size())
	}
	if err := os.Chtimes(g.p.path(target), info.ModTime(), info.ModTime()); err != nil || g.keep {
		return err
	}
	return os.Remove(g.p.path(name))
}

// report writes how much smaller the packed file is, for -v.
func (g *packer) report(name, target string, size int64) {
	made, err := os.Stat(g.p.path(target))
	if err != nil {
		return
	}
	plain, packed, done := size, made.Size(), "replaced with"
	if g.unpack {
		plain, packed = packed, plain
	}
	packed -= 18 // of the header and the checksum
	if g.keep {
		done = "created"
	}
	saved := 0.0
	if plain > 0 {
		saved = 100 - 100*float64(packed)/float64(plain)
	}
	g.p.flush()
	fmt.Fprintf(g.p.env.Stderr, "%s:\t%5.1f%% -- %s %s\n", name, saved, done, target)
}

func (g *packer) transform(w io.Writer, r io.Reader) error {
	if !g.unpack {
		packed, err := gzip.NewWriterLevel(w, g.level)
		if err != nil {
			return err
		}
		return firstError(g.p.copy(packed, r), packed.Close())
	}
	plain, err := gzip.NewReader(r)
	if err != nil {
		if err == io.EOF {
			err = io.ErrUnexpectedEOF
		}
		return err
	}
	if w == io.Writer(g.p) { // the reader of stdout limits the output
		return g.p.copy(w, plain)
	}
	return g.p.copy(w, &boundedReader{r: plain, left: &g.left})
}
