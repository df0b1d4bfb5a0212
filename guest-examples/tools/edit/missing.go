package edit

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/wasmtool/wasmtool/guest-examples/internal/text"
)

const (
	// maxSearched is how many bytes of a file are compared line by line.
	maxSearched = 1 << 20
	// maxStarts is how many places are tried at which old_string begins.
	maxStarts = 1000
	// maxTried is how many lines of old_string are looked for alone.
	maxTried = 100
	// maxCompared bounds the work of looking for the closest line: the sum of
	// the products of the lengths compared.
	maxCompared = 24 << 20
	// maxQuoted is how many bytes of a line are compared and quoted.
	maxQuoted = 200
)

var (
	unescape   = strings.NewReplacer(`\n`, "\n", `\t`, "\t", `\"`, `"`, `\'`, `'`, `\\`, `\`)
	straighten = strings.NewReplacer("‘", "'", "’", "'", "“", `"`, "”", `"`, "–", "-", "—", "-", "…", "...", "\u00a0", " ", "\u202f", " ")
	closeUp    = strings.NewReplacer(" ", "", "\t", "", "\r", "")
)

// explainMissing returns the error that old_string is not in the file, with
// what comes closest to it. Nothing of this is ever applied: the caller is to
// say what is meant.
func (r replacement) explainMissing(shown string) error {
	missing := fmt.Sprintf("old_string is not in %s", shown)
	content, wanted := string(r.view.text), string(r.needle.Text)
	if content == "" {
		return errors.New(missing + ", which is empty")
	}
	for _, explain := range []func(content, wanted string) string{misspelt, otherwiseWritten, partly, closest} {
		if hint := explain(content, wanted); hint != "" {
			return errors.New(missing + "; " + hint)
		}
	}
	return errors.New(missing + ", nor anything like it; use read to see what is")
}

// misspelt tells if wanted would be found but for a mistake in giving it.
func misspelt(content, wanted string) string {
	lineNumber := regexp.MustCompile(`(?m)^ *[0-9]+\t`) // here, as other calls would pay for it at their start
	for _, mistake := range []struct{ meant, hint string }{
		{lineNumber.ReplaceAllString(wanted, ""), "it would match without the line numbers that read puts in front of each line"},
		{strings.ReplaceAll(wanted, "\r\n", "\n"), `it would match with line feeds alone as line ends ("\n" in place of "\r\n")`},
		{unescape.Replace(wanted), `it would match without the additional backslashes (as in "\\n" for a line end, which is "\n" in JSON)`},
	} {
		if mistake.meant != wanted && mistake.meant != "" && strings.Contains(content, mistake.meant) {
			return mistake.hint
		}
	}
	return ""
}

// otherwiseWritten tells if content has wanted but for signs that are easily
// taken for one another. No fold changes the number of lines.
func otherwiseWritten(content, wanted string) string {
	for _, difference := range []struct {
		name string
		fold func(string) string
	}{
		{"typographic signs such as quotation marks, dashes or fixed spaces", straighten.Replace},
		{"white space", closeUp.Replace},
		{"capitals", strings.ToLower},
	} {
		folded := difference.fold(wanted)
		if before, _, found := strings.Cut(difference.fold(content), folded); found && strings.TrimSpace(folded) != "" {
			line := strings.Count(before, "\n")
			return fmt.Sprintf("it would match at line %d but for %s%s", line+1, difference.name, firstDifference(content, wanted, line))
		}
	}
	return ""
}

// firstDifference words the first difference between wanted and the lines of
// content from the given one on, counted from 0.
func firstDifference(content, wanted string, from int) string {
	for range from {
		_, content, _ = strings.Cut(content, "\n")
	}
	first := true
	for line := from; ; line++ {
		have, restOfContent, _ := strings.Cut(content, "\n")
		want, restOfWanted, more := strings.Cut(wanted, "\n")
		if !fits(have, want, first, !more) {
			return fmt.Sprintf(": line %d is %s, and old_string has %s", line+1, quoted(have), quoted(want))
		}
		if !more {
			return ""
		}
		content, wanted, first = restOfContent, restOfWanted, false
	}
}

// fits reports whether want, a line of the text that is looked for, can stand
// in the line have: the first may begin and the last may end within it.
func fits(have, want string, first, last bool) bool {
	switch {
	case first && last:
		return strings.Contains(have, want)
	case first:
		return strings.HasSuffix(have, want)
	case last:
		return strings.HasPrefix(have, want)
	default:
		return have == want
	}
}

// partly tells where most of the first lines of wanted stand, if that says
// something: one line that stands in many places does not.
func partly(content, wanted string) string {
	lines, all := searchedLines(content)
	wantedLines := strings.Split(wanted, "\n")
	if len(wantedLines) < 2 || strings.TrimSpace(wantedLines[0]) == "" {
		return ""
	}
	best, most, starts := 0, 0, 0
	for i := 0; i < len(lines) && starts < maxStarts; i++ {
		if !strings.HasSuffix(lines[i], wantedLines[0]) {
			continue
		}
		starts++
		count := 1
		for count < len(wantedLines) && i+count < len(lines) && fits(lines[i+count], wantedLines[count], false, count == len(wantedLines)-1) {
			count++
		}
		// Of what goes on beyond the lines it is unknown where it differs.
		if count > most && (all || i+count < len(lines)) {
			best, most = i, count
		}
	}
	if most == 0 || most == 1 && starts > 1 {
		return ""
	}
	hint := fmt.Sprintf("it matches from line %d on up to its line %d, which is %s", best+1, most+1, quoted(wantedLines[most]))
	if best+most == len(lines) {
		return hint + "; there the file ends"
	}
	return hint + fmt.Sprintf("; there the file has %s", quoted(lines[best+most]))
}

// closest tells which line of content has something most like the first line
// of wanted that content has not.
func closest(content, wanted string) string {
	want, found := absentLine(content, wanted)
	if !found {
		return "each line of it is there, but they do not follow one another like this"
	}
	best, least := -1, len(want)/3+1
	lines, _ := searchedLines(content)
	compared := 0
	for i, line := range lines {
		have := firstBytes(line)
		if len(want)-len(have) >= least {
			continue
		}
		if compared += len(have) * len(want); compared > maxCompared {
			break
		}
		if d := text.DistanceWithin(want, have); d < least {
			best, least = i, d
		}
	}
	if best < 0 {
		return ""
	}
	return fmt.Sprintf("did you mean line %d, %s, in place of %s?", best+1, quoted(lines[best]), quoted(want))
}

// absentLine returns the start of the first line of wanted that is not in
// content, white space around it left out.
func absentLine(content, wanted string) (string, bool) {
	tried := 0
	for line := range strings.SplitSeq(wanted, "\n") {
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		if tried++; tried > maxTried || !strings.Contains(content, line) {
			return firstBytes(line), true
		}
	}
	return "", false
}

// searchedLines returns the lines that are looked through one by one, and
// whether these are all.
func searchedLines(content string) (lines []string, all bool) {
	if len(content) <= maxSearched {
		return strings.Split(content, "\n"), true
	}
	lines = strings.Split(content[:maxSearched], "\n")
	return lines[:len(lines)-1], false // the last one is cut
}

func firstBytes(line string) string {
	return line[:min(len(line), maxQuoted)]
}

// quoted shows a line so that its white space can be told.
func quoted(line string) string {
	if len(line) > maxQuoted {
		return fmt.Sprintf("%q…", firstBytes(line))
	}
	return fmt.Sprintf("%q", line)
}
