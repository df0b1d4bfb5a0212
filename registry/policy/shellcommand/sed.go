package shellcommand

import (
	"slices"
	"strings"

	"github.com/wasmtool/wasmtool/internal/lazyregexp"
)

// classifySed classifies sed, whose scripts can write files and run commands.
func classifySed(args []word) verdict {
	unknown := ask("has a script that writes, runs commands, or is not known")
	scripted, ended := false, false
	var scripts []word
	for i := 0; i < len(args); i++ {
		w := args[i]
		name, value, joined := strings.Cut(w.text, "=")
		switch {
		case ended || !w.option:
			if !scripted {
				scripted = true
				scripts = append(scripts, w)
			}
		case !w.fixed:
			return ask(mayBeOption)
		case w.text == "--":
			ended = true
		case w.text == "-":
		case name == "--expression" && joined:
			scripted, scripts = true, append(scripts, fixedWord(value))
		case w.text == "-e" || w.text == "-ne" || w.text == "-Ee" || w.text == "-nEe" || w.text == "--expression":
			if i++; i == len(args) {
				return unknown
			}
			scripted, scripts = true, append(scripts, args[i])
		case slices.Contains([]string{"--quiet", "--silent", "--regexp-extended", "--separate", "--unbuffered", "--null-data", "--posix", "--sandbox", "--debug"}, name):
		case strings.HasPrefix(w.text, "--"), strings.Trim(w.text[1:], "nErsuz") != "":
			return ask("has the option " + shown(w.text) + ", with which it does more than read")
		}
	}
	for _, s := range scripts {
		if !s.fixed || !sedReads(s.text) {
			return unknown
		}
	}
	return allow("only reads")
}

// sedReads reports whether a sed script only reads. It returns false for a script that it does not
// understand.
func sedReads(script string) bool {
	s := sedScanner{text: script}
	for s.skip(" \t\n;{}"); s.at < len(s.text); s.skip(" \t\n;{}") {
		if !s.addresses() || !s.command() {
			return false
		}
	}
	return true
}

type sedScanner struct {
	text string
	at   int
}

func (s *sedScanner) skip(chars string) {
	for s.at < len(s.text) && strings.IndexByte(chars, s.text[s.at]) >= 0 {
		s.at++
	}
}

func (s *sedScanner) next() (byte, bool) {
	if s.at >= len(s.text) {
		return 0, false
	}
	s.at++
	return s.text[s.at-1], true
}

// addresses reads the addresses before a command.
func (s *sedScanner) addresses() bool {
	for s.at < len(s.text) {
		switch b := s.text[s.at]; {
		case strings.IndexByte("0123456789$,~+! \t", b) >= 0:
			s.at++
		case b == '/':
			s.at++
			if !s.until('/') {
				return false
			}
			s.skip("IM")
		case b == '\\':
			s.at++
			delimiter, ok := s.next()
			if !ok || !s.until(delimiter) {
				return false
			}
			s.skip("IM")
		default:
			return true
		}
	}
	return true
}

// bracket is a bracket expression whose end is unambiguous. A delimiter within it does not end the
// enclosing expression.
var bracket = lazyregexp.New(`^\[\^?\]?(\[:[a-z]+:\]|\\[^\]]|[^\]\[\\])*\]`)

// until reads an expression up to the first delimiter that is not escaped.
func (s *sedScanner) until(delimiter byte) bool {
	if strings.IndexByte("\n\\[", delimiter) >= 0 {
		return false
	}
	for s.at < len(s.text) {
		switch s.text[s.at] {
		case '\\':
			s.at++
		case '[':
			length := len(bracket.Regexp().FindString(s.text[s.at:]))
			if length == 0 {
				return false
			}
			s.at += length - 1
		case delimiter:
			s.at++
			return true
		}
		s.at++
	}
	return false
}

// command reads a command and its arguments.
func (s *sedScanner) command() bool {
	name, ok := s.next()
	if !ok {
		return true
	}
	switch name {
	case 'p', 'P', 'd', 'D', 'g', 'G', 'h', 'H', 'n', 'N', 'x', '=', '}', '{', 'z':
		return true
	case 'q', 'Q', 'l', 'L':
		s.skip(" 0123456789")
		return true
	case 'b', 't', 'T', ':': // a label, which ends the same way in all versions
		s.skip(" \t")
		s.skip("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_")
		return s.ends()
	case '#', 'a', 'i', 'c', 'r', 'R': // the rest of the line
		line, _, _ := strings.Cut(s.text[s.at:], "\n")
		s.at += len(line)
		return !strings.HasSuffix(line, "\\")
	case 's', 'y':
		delimiter, ok := s.next()
		if !ok || name == 'y' && strings.Contains(s.text, "[") || !s.until(delimiter) {
			return false // brackets have no meaning for y
		}
		// Brackets also have no meaning in the second part of the commands s and y.
		for s.at < len(s.text) && s.text[s.at] != delimiter {
			if s.text[s.at] == '\\' {
				s.at++
			}
			s.at++
		}
		if s.at >= len(s.text) {
			return false
		}
		s.at++
		if name == 's' {
			s.skip("gpiIM0123456789")
		}
		return s.ends()
	}
	return false
}

// ends reports whether a command ends here.
func (s *sedScanner) ends() bool {
	s.skip(" \t")
	return s.at == len(s.text) || strings.IndexByte(";}\n#", s.text[s.at]) >= 0
}
