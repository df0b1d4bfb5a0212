package main

import (
	"fmt"
	"html"
	"regexp"
	"strings"
)

// screen is what a terminal shows.
type screen struct {
	lines [][]glyph
	at    int // the column of the cursor, in the last line
	style string
}

// glyph is a character and its style: the parameters of an escape sequence, such as "1;31".
type glyph struct {
	char  rune
	style string
}

// control matches the sequences that change the style, or delete the rest of the line.
var control = regexp.MustCompile(`^\x1b\[([0-9;]*)([mK])`)

// write shows the output of a program. An unknown sequence is an error.
func (s *screen) write(output string) error {
	for output != "" {
		if m := control.FindStringSubmatch(output); m != nil {
			output = output[len(m[0]):]
			if m[2] == "K" {
				last := &s.lines[len(s.lines)-1]
				*last = (*last)[:min(s.at, len(*last))]
			} else if s.style = strings.Trim(m[1], "0"); m[1] == "1" {
				s.style = "1"
			}
			continue
		}
		char := []rune(output)[0]
		output = output[len(string(char)):]
		if len(s.lines) == 0 {
			s.lines = append(s.lines, nil)
		}
		switch last := &s.lines[len(s.lines)-1]; {
		case char == '\n':
			s.lines, s.at = append(s.lines, nil), 0
		case char == '\r':
			s.at = 0
		case char < ' ':
			return fmt.Errorf("unknown control character %q", char)
		default:
			*last = append((*last)[:min(s.at, len(*last))], glyph{char, s.style})
			s.at++
		}
	}
	return nil
}

// The size of a character in a picture, and the margin around the text, in pixels.
const (
	charWidth, lineHeight = 8.4, 18
	margin                = 14
)

// classes are the styles that the pictures know, with their names in the style sheet.
var classes = map[string]string{"": "", "1": "b", "31": "r", "1;31": "b r", "32": "g", "1;32": "b g", "33": "y", "1;33": "b y", "2": "d"}

const styleSheet = `<style>
svg{font:14px ui-monospace,SFMono-Regular,Menlo,Consolas,monospace}
rect{fill:#f6f8fa;stroke:#d0d7de}text{fill:#1f2328}.b{font-weight:bold}.r{fill:#b3261e}.g{fill:#116329}.y{fill:#7d4e00}.d{fill:#59636e}
@media(prefers-color-scheme:dark){rect{fill:#0d1117;stroke:#3d444d}text{fill:#e6edf3}.r{fill:#ff7b72}.g{fill:#56d364}.y{fill:#e3b341}.d{fill:#9198a1}}
</style>
`

// svg returns the picture: a text element for each run of equal style. Each run has its place and
// length, so that the columns are aligned in any font.
func (s *screen) svg() string {
	lines := s.lines
	for len(lines) > 0 && len(lines[len(lines)-1]) == 0 {
		lines = lines[:len(lines)-1]
	}
	width, height := columns*charWidth+2*margin, len(lines)*lineHeight+2*margin
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" xml:space="preserve" viewBox="0 0 %.0f %d" width="%.0f" height="%d">`+"\n", width, height, width, height)
	b.WriteString(styleSheet)
	fmt.Fprintf(&b, `<rect x="0.5" y="0.5" width="%.0f" height="%d" rx="6"/>`+"\n", width-1, height-1)
	for i, line := range lines {
		for start := 0; start < len(line); {
			end := start
			var text strings.Builder
			for end < len(line) && line[end].style == line[start].style {
				text.WriteRune(line[end].char)
				end++
			}
			if strings.TrimSpace(text.String()) != "" {
				class := classes[line[start].style]
				if class != "" {
					class = ` class="` + class + `"`
				}
				fmt.Fprintf(&b, `<text%s x="%.1f" y="%d" textLength="%.1f">%s</text>`+"\n", class,
					margin+float64(start)*charWidth, margin+i*lineHeight+13, float64(end-start)*charWidth, html.EscapeString(text.String()))
			}
			start = end
		}
	}
	return b.String() + "</svg>\n"
}
