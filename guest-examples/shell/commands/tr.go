package commands

import (
	"io"
	"slices"
	"strings"
)

var tr = spec{
	name: "tr", synopsis: "[-cCdst] SET1 [SET2]",
	options: "+ c,complement C d,delete s,squeeze-repeats t,truncate-set1",
	note:    "Sets consist of bytes, as in GNU tr; a character outside ASCII consists of several bytes.",
	run:     runTr,
}

func runTr(p *process, o options, sets []string) int {
	translate := !o.has("d") && len(sets) == 2
	switch {
	case len(sets) == 0:
		return p.fail("missing operand")
	case len(sets) > 2:
		return p.fail("extra operand '%s'", sets[2])
	case len(sets) == 1 && !o.has("d") && !o.has("s"), len(sets) == 1 && o.has("d") && o.has("s"):
		return p.fail("missing operand after '%s'", sets[0])
	case len(sets) == 2 && o.has("d") && !o.has("s"):
		return p.fail("extra operand '%s'", sets[1])
	}
	first, err := parseSet(sets[0], -1)
	if err != nil {
		return p.fail("%v", err)
	}
	if o.has("c") || o.has("C") {
		first = first.complement()
	}
	second := first
	if len(sets) == 2 {
		want := -1
		if translate {
			want = len(first)
		}
		if second, err = parseSet(sets[1], want); err != nil {
			return p.fail("%v", err)
		}
		if translate {
			if problem := untranslatable(o, sets[0], sets[1], first, second); problem != "" {
				return p.fail("%s", problem)
			}
		}
		if translate && len(second) == 0 && !o.has("t") {
			return p.fail("when not truncating set1, string2 must be non-empty")
		}
	}
	return newTranslation(o, translate, first, second).run(p)
}

// untranslatable returns the error for sets that can't be translated, or "".
func untranslatable(o options, from, to string, first, second trSet) string {
	cases, other := caseClasses(to)
	complement := o.has("c") || o.has("C")
	fromCases, fromOther := caseClasses(from)
	switch {
	case strings.Contains(to, "[=") && strings.Contains(to, "=]"):
		return "[=c=] expressions may not appear in string2 when translating"
	case other:
		return "when translating, the only character classes that may appear in\nstring2 are 'upper' and 'lower'"
	case len(first) > len(second) && strings.HasSuffix(to, ":]") && !o.has("t"):
		return "when translating with string1 longer than string2,\nthe latter string must not end with a character class"
	case complement && (fromCases > 0 || fromOther) && (slices.ContainsFunc(second, func(b byte) bool { return b != second[0] }) || o.has("t") && len(second) < len(first)):
		return "when translating with complemented character classes,\nstring2 must map all characters in the domain to one"
	}
	if !complement && cases > fromCases {
		return "misaligned [:upper:] and/or [:lower:] construct"
	}
	return ""
}

// caseClasses counts [:upper:] and [:lower:] in a set, and reports whether it has other classes.
func caseClasses(set string) (cases int, other bool) {
	for set != "" {
		class, rest, ok := cutClass(set)
		switch {
		case !ok:
			_, rest = cutByte(set)
		case class == "upper" || class == "lower":
			cases++
		default:
			other = true
		}
		set = rest
	}
	return cases, other
}

// translation defines what tr does with each byte.
type translation struct {
	to      [256]byte
	drop    [256]bool
	squeeze [256]bool
	// all reports that each byte is translated, and none is dropped.
	all bool
}

func newTranslation(o options, translate bool, first, second trSet) *translation {
	t := &translation{all: !o.has("d") && !o.has("s")}
	for i := range t.to {
		t.to[i] = byte(i)
	}
	if translate {
		if o.has("t") && len(first) > len(second) {
			first = first[:len(second)]
		}
		for i, b := range first {
			t.to[b] = second[min(i, len(second)-1)]
		}
	}
	if o.has("d") {
		for _, b := range first {
			t.drop[b] = true
		}
	}
	if o.has("s") {
		for _, b := range second {
			t.squeeze[b] = true
		}
	}
	return t
}

func (t *translation) run(p *process) int {
	last := -1
	buf := make([]byte, 32<<10)
	for !p.stopped() {
		n, err := p.env.Stdin.Read(buf)
		kept := buf[:0]
		if t.all {
			for i, b := range buf[:n] {
				buf[i] = t.to[b]
			}
			kept, n = buf[:n], 0
		}
		for _, b := range buf[:n] {
			if t.drop[b] {
				continue
			}
			if b = t.to[b]; t.squeeze[b] && int(b) == last {
				continue
			}
			last = int(b)
			kept = append(kept, b)
		}
		p.write(kept)
		if err == io.EOF {
			break
		}
		if err != nil {
			return p.fail("read error: %s", message(err))
		}
	}
	return p.status
}
