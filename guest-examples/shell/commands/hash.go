package commands

import (
	"crypto/md5"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"fmt"
	"hash"
	"io"
	"strings"
)

// digest is an algorithm of checksums.
type digest struct {
	name string // the name in the BSD format, such as SHA256 in "SHA256 (NAME) = HASH"
	make func() hash.Hash
}

// digests returns the algorithms by the names that cksum -a has for them.
func digests() map[string]digest {
	return map[string]digest{
		"md5": {"MD5", md5.New}, "sha1": {"SHA1", sha1.New}, "sha224": {"SHA224", sha256.New224}, "sha256": {"SHA256", sha256.New},
		"sha384": {"SHA384", sha512.New384}, "sha512": {"SHA512", sha512.New},
	}
}

const (
	checkOptions = "c,check ignore-missing quiet status strict w,warn"
	digestNote   = "-b and -t differ only in the mark before the name."
)

// sums returns the commands that print checksums of one algorithm.
func sums() []spec {
	var list []spec
	for name, d := range digests() {
		list = append(list, spec{
			name: name + "sum", synopsis: "[-c] [FILE]...", options: checkOptions + " b,binary t,text z,zero tag", note: digestNote,
			run: func(p *process, o options, files []string) int { return p.runSums(o, files, d) },
		})
	}
	return list
}

func (p *process) runSums(o options, files []string, d digest) int {
	if o.has("c") {
		for _, name := range []string{"tag", "z", "b", "t"} {
			if o.has(name) {
				return p.fail("the %s option is meaningless when verifying checksums", dashed(name))
			}
		}
		return p.checkSums(o, files, map[string]digest{d.name: d}, d)
	}
	if problem := onlyWithCheck(o); problem != "" {
		return p.fail("%s", problem)
	}
	mode := o.last("b", "t")
	if o.has("tag") && mode == "t" {
		return p.fail("--tag does not support --text mode")
	}
	mark := " "
	if mode == "b" {
		mark = "*"
	}
	return p.printSums(o, files, d, o.has("tag"), mark)
}

// onlyWithCheck returns the error for an option that needs -c if -c is missing, or "".
func onlyWithCheck(o options) string {
	for _, name := range []string{"ignore-missing", "quiet", "status", "strict", "w"} {
		if o.has(name) {
			return fmt.Sprintf("the %s option is meaningful only when verifying checksums", dashed(name))
		}
	}
	return ""
}

// printSums prints a line for each file, in the BSD format if tagged is set.
func (p *process) printSums(o options, files []string, d digest, tagged bool, mark string) int {
	end := lineEnd(o, "z")
	return p.eachInput(files, func(name string, r io.Reader) error {
		h := d.make()
		if err := p.copy(h, r); err != nil {
			return err
		}
		if end != 0 {
			escaped := escapeName(name)
			if escaped != name {
				p.print(`\`)
			}
			name = escaped
		}
		if tagged {
			p.printf("%s (%s) = %x%c", d.name, name, h.Sum(nil), end)
			return nil
		}
		p.printf("%x %s%s%c", h.Sum(nil), mark, name, end)
		return nil
	})
}

// escapeName escapes the characters of a file name that a line can't contain.
func escapeName(name string) string {
	return strings.NewReplacer(`\`, `\\`, "\n", `\n`, "\r", `\r`).Replace(name)
}

func unescapeName(name string) string {
	return strings.NewReplacer(`\\`, `\`, `\n`, "\n", `\r`, "\r").Replace(name)
}
