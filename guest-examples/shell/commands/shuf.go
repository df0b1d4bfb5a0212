package commands

import (
	"bytes"
	"io"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
)

var shuf = spec{
	name: "shuf", synopsis: "[-n COUNT] [-r] [-e ARG... | -i LOW-HIGH | FILE]",
	options: "n,head-count: e,echo i,input-range: r,repeat o,output: z,zero-terminated",
	run:     runShuf,
}

func runShuf(p *process, o options, words []string) int {
	end := lineEnd(o, "z")
	var lines [][]byte
	switch {
	case o.has("e"):
		for _, word := range words {
			lines = append(lines, []byte(word))
		}
	case o.has("i"):
		low, high, ok := strings.Cut(o.value("i", ""), "-")
		from, err := strconv.Atoi(low)
		to, err2 := strconv.Atoi(high)
		if !ok || err != nil || err2 != nil || from < 0 || to < from || to-from >= maxHeld/16 {
			return p.fail("invalid input range: '%s'", o.value("i", ""))
		}
		for n := from; n <= to; n++ {
			lines = append(lines, strconv.AppendInt(nil, int64(n), 10))
		}
	case len(words) > 1:
		return p.fail("extra operand '%s'", words[1])
	default:
		if status := p.eachInput(words, func(_ string, r io.Reader) error {
			data, err := p.readAll(r)
			lines = appendLines(lines, data, end)
			return err
		}); status != 0 {
			return status
		}
	}
	maximum := len(lines)
	if o.has("r") {
		maximum = maxHeld // with -r, print until the reader of stdout is closed
	}
	if o.has("n") {
		n, err := strconv.ParseUint(o.value("n", ""), 10, 31)
		if err != nil {
			return p.fail("invalid line count: '%s'", o.value("n", ""))
		}
		maximum = min(maximum, int(n))
	}
	out := io.Writer(p)
	if name := o.value("o", ""); name != "" {
		w, err := p.create(name, os.O_TRUNC)
		if err != nil {
			return p.fail("%s: %s", name, message(err))
		}
		defer w.Close()
		out = w
	}
	for i := 0; i < maximum && len(lines) > 0 && !p.stopped(); i++ {
		at := i
		if o.has("r") {
			at = rand.IntN(len(lines))
		} else {
			j := i + rand.IntN(len(lines)-i)
			lines[i], lines[j] = lines[j], lines[i]
		}
		if _, err := out.Write(append(bytes.Clone(lines[at]), end)); err != nil {
			break
		}
	}
	return p.status
}
