package commands

import (
	"fmt"
	"io"
	"slices"
	"strings"
)

var cksum = spec{
	name: "cksum", synopsis: "[-a ALGORITHM] [-c] [--untagged] [FILE]...", options: checkOptions + " a,algorithm: tag untagged z,zero",
	note: "The algorithms are crc (the default), bsd, sysv, md5, sha1, sha224, sha256, sha384 and sha512.",
	run:  runCksum,
}

func runCksum(p *process, o options, files []string) int {
	algorithm := o.value("a", "crc")
	d, known := digests()[algorithm]
	old := slices.Contains([]string{"crc", "bsd", "sysv"}, algorithm)
	switch {
	case !known && !old:
		return p.fail("invalid argument '%s' for '--algorithm'; use crc, bsd, sysv, md5, sha1, sha224, sha256, sha384 or sha512", algorithm)
	case o.has("c") && old && o.has("a"):
		return p.fail("--check is not supported with --algorithm={bsd,sysv,crc}")
	case o.has("c") && (o.has("z") || o.has("tag") || o.has("untagged")):
		return p.fail("the --zero, --tag and --untagged options are meaningless when verifying checksums")
	case o.has("c"):
		names := map[string]digest{}
		for _, d := range digests() {
			if algorithm == "crc" || d.name == strings.ToUpper(algorithm) {
				names[d.name] = d
			}
		}
		return p.checkSums(o, files, names, d)
	}
	if problem := onlyWithCheck(o); problem != "" {
		return p.fail("%s", problem)
	}
	if known {
		return p.printSums(o, files, d, o.last("tag", "untagged") != "untagged", " ")
	}
	end := lineEnd(o, "z")
	return p.eachInput(files, func(name string, r io.Reader) error {
		line, err := p.shortSum(algorithm, r)
		if err != nil {
			return err
		}
		if len(files) > 0 {
			line += " " + name
		}
		p.writeLine([]byte(line), end)
		return nil
	})
}

var sum = spec{
	name: "sum", synopsis: "[-r | -s] [FILE]...", options: "r s,sysv",
	run: func(p *process, o options, files []string) int {
		algorithm := "bsd"
		if o.last("r", "s") == "s" {
			algorithm = "sysv"
		}
		return p.eachInput(files, func(name string, r io.Reader) error {
			line, err := p.shortSum(algorithm, r)
			if err != nil {
				return err
			}
			if len(files) > 0 {
				line += " " + name
			}
			p.print(line + "\n")
			return nil
		})
	},
}

// shortSum returns the checksum of crc, bsd or sysv, and the size.
func (p *process) shortSum(algorithm string, r io.Reader) (string, error) {
	s := shortSums{table: crcTable()}
	if err := p.copy(&s, r); err != nil {
		return "", err
	}
	return s.text(algorithm), nil
}

// shortSums computes the three old checksums, which need only a few bytes of state.
type shortSums struct {
	table    [256]uint32
	size     int64
	crc      uint32
	rotating uint32 // of bsd
	adding   uint32 // of sysv
}

// Write implements io.Writer.
func (s *shortSums) Write(data []byte) (int, error) {
	for _, b := range data {
		s.crc = s.crc<<8 ^ s.table[byte(s.crc>>24)^b]
		s.rotating = (s.rotating>>1 + s.rotating&1<<15 + uint32(b)) & 0xffff
		s.adding += uint32(b)
	}
	s.size += int64(len(data))
	return len(data), nil
}

func (s *shortSums) text(algorithm string) string {
	switch algorithm {
	case "bsd":
		return fmt.Sprintf("%05d %5d", s.rotating, (s.size+1023)/1024)
	case "sysv":
		folded := s.adding&0xffff + s.adding>>16
		return fmt.Sprintf("%d %d", folded&0xffff+folded>>16, (s.size+511)/512)
	}
	crc := s.crc
	for size := s.size; size > 0; size >>= 8 {
		crc = crc<<8 ^ s.table[byte(crc>>24)^byte(size)]
	}
	return fmt.Sprintf("%d %d", ^crc, s.size)
}

// crcTable returns the table of the CRC of POSIX's cksum, whose polynomial is 0x04c11db7 with the
// highest bit first.
func crcTable() [256]uint32 {
	var table [256]uint32
	for i := range table {
		crc := uint32(i) << 24
		for range 8 {
			high := crc>>31 != 0
			if crc <<= 1; high {
				crc ^= 0x04c11db7
			}
		}
		table[i] = crc
	}
	return table
}
