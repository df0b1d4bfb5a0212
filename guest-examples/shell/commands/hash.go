package commands

import (
	"crypto/md5"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
	"strings"
)

// sums returns the commands that print checksums.
func sums() []spec {
	var list []spec
	for _, s := range []struct {
		name string
		make func() hash.Hash
	}{{"md5sum", md5.New}, {"sha1sum", sha1.New}, {"sha256sum", sha256.New}, {"sha512sum", sha512.New}} {
		list = append(list, spec{
			name: s.name, synopsis: "[-c] [FILE]...", options: "c,check b,binary t,text status quiet w,warn z,zero tag",
			run: func(p *process, o options, files []string) int {
				if o.has("c") {
					return p.checkSums(o, files, s.make)
				}
				return p.eachInput(files, func(name string, r io.Reader) error {
					h := s.make()
					if err := p.copy(h, r); err != nil {
						return err
					}
					p.printf("%x  %s%c", h.Sum(nil), name, lineEnd(o, "z"))
					return nil
				})
			},
		})
	}
	return list
}

// checkSums verifies the checksums in files.
func (p *process) checkSums(o options, files []string, newHash func() hash.Hash) int {
	bad, unread, malformed := 0, 0, 0
	p.eachInput(files, func(file string, r io.Reader) error {
		proper := 0
		err := p.eachLine(r, '\n', func(line []byte, _ bool) bool {
			sum, name, ok := strings.Cut(string(line), " ")
			want, err := hex.DecodeString(sum)
			if !ok || err != nil || len(want) != newHash().Size() || len(name) < 2 {
				malformed++
				return true
			}
			proper++
			name = name[1:]
			h := newHash()
			data, err := p.open(name)
			if err == nil {
				err = p.copy(h, data)
				data.Close()
			}
			verdict := "OK"
			switch {
			case err != nil:
				p.errorf("%s: %s", name, message(err))
				verdict = "FAILED open or read"
				unread++
			case string(h.Sum(nil)) != string(want):
				verdict = "FAILED"
				bad++
			}
			if !o.has("status") && (verdict != "OK" || !o.has("quiet")) {
				p.printf("%s: %s\n", name, verdict)
			}
			return true
		})
		if err == nil && proper == 0 {
			p.errorf("%s: no properly formatted checksum lines found", file)
			malformed = 0
		}
		return err
	})
	for _, w := range []struct {
		n         int
		one, many string
	}{
		{malformed, "line is improperly formatted", "lines are improperly formatted"},
		{unread, "listed file could not be read", "listed files could not be read"},
		{bad, "computed checksum did NOT match", "computed checksums did NOT match"},
	} {
		if w.n == 0 || o.has("status") {
			continue
		}
		text := w.many
		if w.n == 1 {
			text = w.one
		}
		p.flush()
		fmt.Fprintf(p.env.Stderr, "%s: WARNING: %d %s\n", p.name, w.n, text)
	}
	if bad > 0 || unread > 0 {
		return 1
	}
	return p.status
}
