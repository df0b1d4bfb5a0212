// Package regex compiles regular expressions in RE2 syntax whose \w, \d, \s and \b know the
// characters of all scripts, as in ripgrep. In package regexp they know only ASCII. Matching takes
// linear time.
//
// Matching does not normalize: é as one code point and é as a letter with an accent are different
// texts. POSIX classes such as [[:alpha:]] stay ASCII, as in RE2 and ripgrep.
package regex

import (
	"regexp"
	"regexp/syntax"

	"github.com/wasmtool/wasmtool/guest-examples/internal/bytescan"
)

// maxWritten limits the length of an expression, in bytes, after the classes are written into it.
// It is enough for thousands of \w or dozens of [\W], and limits the memory that they take.
const maxWritten = 512 << 10

// Regexp is a compiled regular expression. It is not safe for concurrent use.
type Regexp struct {
	source string
	// ascii matches texts that are ASCII. If other is nil, it matches all texts.
	ascii *regexp.Regexp
	other *regexp.Regexp
	// If letters is not nil, other matches the text that letters writes for a text.
	letters *alphabet
	written []byte
}

// Compile compiles an expression in the syntax of package regexp. If the expression is invalid or
// has too many classes, the error is a *[syntax.Error] that quotes it. [ErrManyLetters] is the only
// other error.
func Compile(expression string) (*Regexp, error) {
	ascii, err := regexp.Compile(expression)
	if err != nil {
		return nil, err
	}
	r := &Regexp{source: expression, ascii: ascii}
	wide, found := translate(expression, unicodeClasses)
	if !found.classes && !found.boundaries {
		return r, nil
	}
	if len(wide) > maxWritten {
		return nil, &syntax.Error{Code: syntax.ErrLarge, Expr: expression}
	}
	if found.classes {
		narrow, _ := translate(expression, asciiClasses)
		if r.ascii, err = regexp.Compile(narrow); err != nil {
			return nil, err
		}
	}
	if found.boundaries {
		if wide, err = r.rewrite(wide); err != nil {
			return nil, err
		}
	}
	if r.other, err = regexp.Compile(wide); err != nil {
		return nil, err
	}
	return r, nil
}

// rewrite sets the alphabet of r, and returns the expression in this alphabet.
func (r *Regexp) rewrite(expression string) (string, error) {
	tree, err := syntax.Parse(expression, syntax.Perl)
	if err != nil {
		return "", err
	}
	if r.letters, err = newAlphabet(tree); err != nil {
		return "", err
	}
	return r.letters.tree(tree).String(), nil
}

// Longest makes r prefer the leftmost longest match, as in POSIX.
func (r *Regexp) Longest() {
	r.ascii.Longest()
	if r.other != nil {
		r.other.Longest()
	}
}

// String returns the expression from which r was compiled.
func (r *Regexp) String() string { return r.source }

// NumSubexp returns the number of groups.
func (r *Regexp) NumSubexp() int { return r.ascii.NumSubexp() }

// SubexpNames returns the names of the groups. The name of a group without a name, and of the whole
// expression at index 0, is "". The caller must not change the slice.
func (r *Regexp) SubexpNames() []string { return r.ascii.SubexpNames() }

// SubexpIndex returns the number of the first group with this name, or -1.
func (r *Regexp) SubexpIndex(name string) int { return r.ascii.SubexpIndex(name) }

// Match reports whether text contains a match.
func (r *Regexp) Match(text []byte) bool {
	re, written := r.engine(text)
	return re.Match(written)
}

// FindIndex returns the first and the next byte after the leftmost match in text, or nil.
func (r *Regexp) FindIndex(text []byte) []int {
	match := r.FindSubmatchIndex(text)
	if match == nil {
		return nil
	}
	return match[:2]
}

// FindSubmatchIndex returns the positions in bytes of the leftmost match in text and of its groups,
// as package regexp does; nil means no match.
func (r *Regexp) FindSubmatchIndex(text []byte) []int {
	all := r.FindAllSubmatchIndex(text, 1)
	if len(all) == 0 {
		return nil
	}
	return all[0]
}

// FindAllSubmatchIndex returns the positions of up to limit successive matches in text; a negative
// limit means all.
func (r *Regexp) FindAllSubmatchIndex(text []byte, limit int) [][]int {
	re, written := r.engine(text)
	all := re.FindAllSubmatchIndex(written, limit)
	if re != r.ascii && r.letters != nil && len(all) > 0 {
		places(text, all)
	}
	return all
}

// engine returns the expression that matches text, and the text that it must be given.
func (r *Regexp) engine(text []byte) (*regexp.Regexp, []byte) {
	switch {
	case r.other == nil, bytescan.ASCII(text):
		return r.ascii, text
	case r.letters == nil:
		return r.other, text
	}
	r.written = r.letters.write(r.written[:0], text)
	return r.other, r.written
}

// ASCII returns an expression in the syntax of package regexp that matches what r matches, in texts
// that are ASCII.
func ASCII(r *Regexp) string { return r.ascii.String() }
