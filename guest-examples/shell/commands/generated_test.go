package commands

import (
	"bytes"
	"fmt"
	"maps"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/wasmtool/wasmtool/guest-examples/internal/testprogram"
	"github.com/wasmtool/wasmtool/guest-examples/internal/testrounds"
)

// TestGenerated runs generated command lines with the system's commands and with ours, and compares
// output and status. Package testrounds says how many; WASMTOOL_SEED=N generates others.
func TestGenerated(t *testing.T) {
	dir := t.TempDir()
	writeFixtures(t, dir, "")
	lines, seed := testrounds.Get(t, 40, 400)
	all := generators()
	maps.Copy(all, textGenerators())
	for name, generate := range all {
		t.Run(name, func(t *testing.T) {
			r := choice{rand.New(rand.NewPCG(uint64(seed), uint64(len(name))))}
			for n, differences := 0, 0; n < lines && differences < maxDifferences; n++ {
				line := generate(r)
				testprogram.Path(t, line.words[0])
				if !line.same(t, dir) {
					differences++
				}
			}
			if t.Failed() {
				t.Logf("to generate these lines again: WASMTOOL_SEED=%d WASMTOOL_ROUNDS=%d", seed, lines)
			}
		})
	}
}

// maxDifferences ends a run that finds many differences, which often have one cause.
const maxDifferences = 20

// generatedLine is a generated command line.
type generatedLine struct {
	words []string
	stdin string
}

func (g generatedLine) same(t *testing.T, dir string) bool {
	t.Helper()
	run := func(run runner) (string, int, string) {
		var stdout, stderr bytes.Buffer
		status := run(t, dir, g.words, strings.NewReader(g.stdin), &stdout, &stderr)
		return stdout.String(), status, stderr.String()
	}
	want, wantStatus, wantErr := run(runSystem)
	got, gotStatus, gotErr := run(runOurs)
	if got == want && gotStatus == wantStatus {
		return true
	}
	t.Errorf("%s\nstdin %q\ngot  %d %q\n     %q\nwant %d %q\n     %q", quoted(g.words), g.stdin, gotStatus, got, gotErr, wantStatus, want, wantErr)
	return false
}

// quoted returns the words with quotes for a shell.
func quoted(words []string) string {
	var out []string
	for _, word := range words {
		out = append(out, "'"+strings.ReplaceAll(word, "'", `'\''`)+"'")
	}
	return strings.Join(out, " ")
}

// choice makes random choices.
type choice struct{ *rand.Rand }

// of returns one of the alternatives.
func (c choice) of(alternatives ...string) string { return alternatives[c.IntN(len(alternatives))] }

// some returns a random list of alternatives. Its length is between the parameters least and most.
func (c choice) some(least, most int, alternatives ...string) []string {
	var out []string
	for range least + c.IntN(most-least+1) {
		out = append(out, c.of(alternatives...))
	}
	return out
}

// maybe returns text in one of n cases, otherwise "".
func (c choice) maybe(n int, text string) string {
	if c.IntN(n) > 0 {
		return ""
	}
	return text
}

func (c choice) number(most int) string { return fmt.Sprint(c.IntN(most + 1)) }

// text returns lines that consist of random words from the list.
func (c choice) text(lines int, words ...string) string {
	var out strings.Builder
	for range c.IntN(lines + 1) {
		out.WriteString(strings.Join(c.some(0, 4, words...), c.of(" ", " ", "\t", "  ", ":")))
		out.WriteString("\n")
	}
	return strings.TrimSuffix(out.String(), c.maybe(5, "\n"))
}

// generators returns the generators by the names of the commands.
func generators() map[string]func(choice) generatedLine {
	return map[string]func(choice) generatedLine{
		"date": generateDate, "date-format": generateDateFormat, "seq": generateSeq,
	}
}

func generateDate(c choice) generatedLine {
	month := c.of("Jan", "February", "mar", "May", "Oct.", "Sept", "december")
	year := c.of("2024", "2023", "1999", "24", "75", "2031")
	n := func(most int) string { return c.of("", "0") + c.number(most) }
	date := c.of(
		fmt.Sprintf("%s-%02d-%02d", year, c.IntN(14), c.IntN(33)), n(31)+" "+month+" "+year, month+" "+n(31)+", "+year, month+" "+n(31)+" "+year,
		n(12)+"/"+n(31)+"/"+year, year+"/"+n(12)+"/"+n(31), n(31)+"-"+month+"-"+year, n(31)+month+year, "2024-03-10", "2024-11-03",
	)
	zone := c.of("UTC", "Z", "+02", "+0230", "-08:00", "CEST", "EST", "EDT", "JST", "utc+3", "EST DST", "A", "Y", "-5", "+25:00", "IST", "e.s.t.", "PST", "XYZ")
	clock := n(25) + ":" + n(61) + c.of("", "", ":"+n(60), ":"+n(59)+".5", ":"+n(59)+",123456789") + c.of("", "", "", " pm", "am", " P.M.", " "+zone, zone)
	clock = c.of(clock, clock, clock, n(13)+c.of("pm", " am"), "1530", "T"+clock, "07+02")
	relative := func() string {
		unit := c.of("day", "days", "week", "months", "year", "hours", "minute", "min", "secs", "fortnight", "second")
		count := c.of("", "+", "-", "+ ", "- ") + c.number(40)
		return c.of(count+" "+unit, count+unit, c.of("next", "last", "this", "third", "eighth")+" "+unit, unit, "yesterday", "tomorrow", "today", "now", "1.5 seconds") + c.maybe(4, " ago")
	}
	day := c.of("Monday", "tue", "wednes", "Sun,", "next friday", "last sat", "2 mon", "this thu", "third thurs")
	parts := []string{date}
	for _, part := range []struct {
		n    int
		text string
	}{{2, clock}, {4, zone}, {3, relative()}, {5, relative()}, {6, day}, {15, "(comment)"}, {20, clock}, {20, date}, {20, "-"}, {25, "hence"}, {20, c.number(3000)}} {
		if c.IntN(part.n) == 0 {
			parts = append(parts, part.text)
		}
	}
	if c.IntN(8) == 0 {
		parts[0], parts[len(parts)-1] = parts[len(parts)-1], parts[0]
	}
	text := strings.Join(parts, c.of(" ", " ", " ", "  ", "\t"))
	switch c.IntN(12) {
	case 0:
		text = "@" + c.of("0", "-1", "1700000000", "1.5", "-1.5", "1e3", "99999999999", "x", "", " 5")
	case 1:
		text = `TZ="` + c.of("America/New_York", "UTC", "Asia/Kolkata", "CET-1CEST,M3.5.0,M10.5.0", "UTC0") + `" ` + text
	}
	zoneOption := c.of("TZ=UTC", "TZ=America/New_York", "TZ=Europe/Berlin", "TZ=Asia/Kolkata", "TZ=EST5EDT", "TZ=CET-1CEST,M3.5.0,M10.5.0/3", "TZ=<+0330>-3:30", "TZ=UTC+3", "TZ=Australia/Lord_Howe", "TZ=:Asia/Tokyo")
	return generatedLine{words: append([]string{"env", zoneOption, "date", "-d", text, "+%F %T.%N %z"}, c.some(0, c.IntN(2), "-u")...)}
}

func generateDateFormat(c choice) generatedLine {
	format := "+"
	for range 1 + c.IntN(3) {
		format += c.maybe(8, "%q%#b%^h") + "%" + c.of("", "", "", "-", "_", "0", "^", "#", "+", "-^", "_#", "^_", "0-") + c.of("", "", "", "1", "3", "5", "10", "12") + c.of("", "", "", "", "E", "O") +
			c.of("a", "A", "B", "c", "C", "d", "D", "e", "F", "g", "G", "H", "I", "j", "k", "l", "m", "M", "n", "N", "p", "P", "r", "R", "s", "S", "t", "T", "u", "U", "V", "w", "W", "x", "X", "y", "Y", "z", "Z", "%", "Q", "f", "L", "v", "i", ":", ":a") +
			c.of("", "", "", "%:z", "%::z", "%:::z", "%_:z", "%-10::z") +
			c.of("", " ", "|")
	}
	format += c.maybe(20, "%")
	date := c.of("2024-02-29 12:34:56.789", "1999-12-31 23:59:59", "2023-01-01 00:00", "2021-01-03 09:05:07", "1099-07-04 01:02:03", "12345-06-07", "@0", "@-1", "1969-12-31", "2024-07-01 06:00")
	words := []string{"env", "TZ=" + c.of("UTC", "America/New_York", "Asia/Kolkata", "<-0130>+1:30", "America/St_Johns"), "date", "-d", date, format}
	if c.IntN(6) == 0 {
		words[len(words)-1] = c.of("-I", "-Id", "-Iseconds", "-Im", "-Ih", "-Ins", "-Ix", "-R", "--rfc-3339=date", "--rfc-3339=s", "--rfc-3339=ns", "--rfc-3339=hours", "--iso-8601=min", "--rfc-email")
	}
	return generatedLine{words: words}
}

func generateSeq(c choice) generatedLine {
	number := func() string {
		return c.of(c.number(20), c.number(20), "-"+c.number(9), c.number(9)+"."+c.number(99), "."+c.number(9), "-"+c.number(3)+".50", "00"+c.number(9), "+"+c.number(9), "1e1", "1.5e1", "15e-1", "0x1F", "5.", "1e-2", "99")
	}
	words := []string{"seq"}
	switch c.IntN(5) {
	case 0:
		words = append(words, "-f", c.of("%g", "%.3f", "%05.1f", "a%eb", "%%%G%%", "%-6g|", "%+g", "% f", "%x", "%", "%g%g", "%'f", "%3.2Lf", "%d", "abc"))
	case 1:
		words = append(words, "-w")
	}
	words = append(words, c.some(0, c.IntN(2), "-s,", "-s", "--separator=::")...)
	if words[len(words)-1] == "-s" {
		words = append(words, " ")
	}
	first := number()
	switch c.IntN(3) {
	case 0:
		return generatedLine{words: append(words, c.of(first, c.number(30)))}
	case 1:
		return generatedLine{words: append(words, first, c.number(30))}
	}
	return generatedLine{words: append(words, first, c.of("2", "0.5", "-1", "-.25", ".1", "0", "3", "7"), c.number(40))}
}
