package edit

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/wasmtool/wasmtool/guest-examples/internal/text"
)

const (
	// maxSearched limits the bytes of a file that are compared line by line.
	maxSearched = 1 << 20
	// maxStarts limits the number of lines that are tried as the start of old_string.
	maxStarts = 1000
	// maxTried limits the number of lines of old_string that are searched for one by one.
	maxTried = 100
	// maxCompared limits the work of the search for the closest line. The work is the sum of
	// len(a)*len(b) for all compared pairs of lines a and b.
	maxCompared = 24 << 20
	// maxQuoted limits how many bytes of a line are compared and quoted.
	maxQuoted = 200
)

var (
	unescape   = strings.NewReplacer(`\n`, "\n", `\t`, "\t", `\"`, `"`, `\'`, `'`, `\\`, `\`)
	straighten = strings.NewReplacer("‘", "'", "’", "'", "“", `"`, "”", `"`, "–", "-", "—", "-", "…", "...", "\u00a0", " ", "\u202f", " ")
	closeUp    = strings.NewReplacer(" ", "", "\t", "", "\r", "")
)

// explainMissing returns the error for an old_string that is not in the file. The error describes
// the closest match, which is never applied: the caller decides what to replace.
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
	return errors.New(missing + ", nor is anything similar; use read to see the file")
}

// misspelt describes the typical mistake, if there is one, that keeps the text wanted from
// matching.
func misspelt(content, wanted string) string {
	// Compile the pattern here, because a global variable would slow down every call.
	lineNumber := regexp.MustCompile(`(?m)^ *[0-9]+\t`)
	for _, mistake := range []struct{ meant, hint string }{
		{lineNumber.ReplaceAllString(wanted, ""), "old_string would match without the line numbers that read shows"},
		{strings.ReplaceAll(wanted, "\r\n", "\n"), `old_string would match with plain line feeds as line ends ("\n" instead of "\r\n")`},
		{unescape.Replace(wanted), `old_string would match without the additional backslashes (in JSON, write a line end as "\n", not "\\n")`},
	} {
		if mistake.meant != wanted && mistake.meant != "" && strings.Contains(content, mistake.meant) {
			return mistake.hint
		}
	}
	return ""
}

// otherwiseWritten describes where content matches the text wanted except for characters that are
// easily confused. It compares line by line, so a replacement of such characters must not change
// the number of lines.
func otherwiseWritten(content, wanted string) string {
	for _, difference := range []struct {
		name string
		fold func(string) string
	}{
		{"typographic characters such as quotation marks, dashes or fixed spaces", straighten.Replace},
		{"white space", closeUp.Replace},
		{"capitals", strings.ToLower},
	} {
		folded := difference.fold(wanted)
		if before, _, found := strings.Cut(difference.fold(content), folded); found && strings.TrimSpace(folded) != "" {
			line := strings.Count(before, "\n")
			return fmt.Sprintf("old_string would match at line %d except for %s%s", line+1, difference.name, firstDifference(content, wanted, line))
		}
	}
	return ""
}

// firstDifference describes the first difference between wanted and the lines of content that begin
// at the index from.
func firstDifference(content, wanted string, from int) string {
	for range from {
		_, content, _ = strings.Cut(content, "\n")
	}
	first := true
	for line := from; ; line++ {
		have, restOfContent, _ := strings.Cut(content, "\n")
		want, restOfWanted, more := strings.Cut(wanted, "\n")
		if !fits(have, want, first, !more) {
			return fmt.Sprintf(": line %d is %s, but old_string has %s", line+1, quoted(have), quoted(want))
		}
		if !more {
			return ""
		}
		content, wanted, first = restOfContent, restOfWanted, false
	}
}

// fits reports whether the line want, from the wanted text, matches the line have, from the
// content. If first is set, the line want may begin in the middle of the line have. If last is set,
// it may end in the middle.
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

// partly describes how many lines at the start of wanted match, and where. It returns "" if only
// one line matches and this line occurs in many places.
func partly(content, wanted string) string {
	lines, all := searchedLines(content)
	wantedLines := strings.Split(wanted, "\n")
	if len(wantedLines) < 2 || strings.TrimSpace(wantedLines[0]) == "" {
		return ""
	}
	best, limit, starts := 0, 0, 0
	for i := 0; i < len(lines) && starts < maxStarts; i++ {
		if !strings.HasSuffix(lines[i], wantedLines[0]) {
			continue
		}
		starts++
		count := 1
		for count < len(wantedLines) && i+count < len(lines) && fits(lines[i+count], wantedLines[count], false, count == len(wantedLines)-1) {
			count++
		}
		// A difference after the searched lines is unknown.
		if count > limit && (all || i+count < len(lines)) {
			best, limit = i, count
		}
	}
	if limit == 0 || limit == 1 && starts > 1 {
		return ""
	}
	hint := fmt.Sprintf("old_string matches from line %d on, up to its own line %d, which is %s", best+1, limit+1, quoted(wantedLines[limit]))
	if best+limit == len(lines) {
		return hint + "; the file ends there"
	}
	return hint + fmt.Sprintf("; in the file, this line is %s", quoted(lines[best+limit]))
}

// closest finds the first line of wanted that content lacks, and suggests the line of content that
// is most similar.
func closest(content, wanted string) string {
	want, found := absentLine(content, wanted)
	if !found {
		return "all lines of old_string are in the file, but not in this order"
	}
	best, minimum := -1, len(want)/3+1
	lines, _ := searchedLines(content)
	compared := 0
	for i, line := range lines {
		have := firstBytes(line)
		if len(want)-len(have) >= minimum {
			continue
		}
		if compared += len(have) * len(want); compared > maxCompared {
			break
		}
		if d := text.DistanceWithin(want, have); d < minimum {
			best, minimum = i, d
		}
	}
	if best < 0 {
		return ""
	}
	return fmt.Sprintf("did you mean line %d, %s, instead of %s?", best+1, quoted(lines[best]), quoted(want))
}

// absentLine returns the first line of the text wanted that is not in content, truncated and
// without surrounding white space.
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

// searchedLines returns the lines of content that are compared one by one. The result all says
// whether these are all lines of content.
func searchedLines(content string) (lines []string, all bool) {
	if len(content) <= maxSearched {
		return strings.Split(content, "\n"), true
	}
	lines = strings.Split(content[:maxSearched], "\n")
	return lines[:len(lines)-1], false // remove the last line, which may be incomplete
}

// firstBytes returns up to maxQuoted bytes of line, and cuts no character.
func firstBytes(line string) string {
	if len(line) <= maxQuoted {
		return line
	}
	end := maxQuoted
	for back := 1; back < utf8.UTFMax && !utf8.RuneStart(line[end]); back++ {
		end--
	}
	return line[:end]
}

// quoted quotes a line so that its white space is visible.
func quoted(line string) string {
	if len(line) > maxQuoted {
		return fmt.Sprintf("%q…", firstBytes(line))
	}
	return fmt.Sprintf("%q", line)
}
