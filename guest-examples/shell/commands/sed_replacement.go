package commands

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"
)

// replacementPart is a part of a replacement: text, a group of the match, or a change of case.
type replacementPart struct {
	text   string
	group  int  // -1 for none
	change byte // the letter U, L, u, l or E of a change of case; 0 for none
}

// parseReplacement parses text, the replacement of an s command. groups is the highest group number
// in the replacement.
func parseReplacement(text string) (parts []replacementPart, groups int) {
	var plain strings.Builder
	add := func(part replacementPart) {
		if plain.Len() > 0 {
			parts = append(parts, replacementPart{text: plain.String(), group: -1})
			plain.Reset()
		}
		parts = append(parts, part)
	}
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '&':
			add(replacementPart{group: 0})
		case c != '\\' || i+1 == len(text):
			plain.WriteByte(text[i])
		default:
			i++
			switch c := text[i]; {
			case isDigit(c):
				groups = max(groups, int(c-'0'))
				add(replacementPart{group: int(c - '0')})
			case bytes.IndexByte([]byte("ULulE"), c) >= 0:
				add(replacementPart{group: -1, change: c})
			case c == 'n':
				plain.WriteByte('\n')
			default:
				plain.WriteByte(text[i])
			}
		}
	}
	if plain.Len() > 0 {
		parts = append(parts, replacementPart{text: plain.String(), group: -1})
	}
	return parts, groups
}

// caser changes the case of text as the escapes \U, \L, \u and \l require, and writes the text.
type caser struct {
	out       []byte
	all, once byte
}

func (c *caser) write(text []byte) {
	if c.once != 0 && len(text) > 0 {
		r, size := utf8.DecodeRune(text)
		if r != utf8.RuneError {
			if c.once == 'u' {
				c.out = utf8.AppendRune(c.out, unicode.ToUpper(r))
			} else {
				c.out = utf8.AppendRune(c.out, unicode.ToLower(r))
			}
			text = text[size:]
		}
		c.once = 0
	}
	switch c.all {
	case 'U':
		text = bytes.ToUpper(text)
	case 'L':
		text = bytes.ToLower(text)
	}
	c.out = append(c.out, text...)
}

// expand appends the replacement of a match in text.
func (c *caser) expand(parts []replacementPart, text []byte, match []int) {
	c.all, c.once = 0, 0
	for _, part := range parts {
		switch {
		case part.change == 'u' || part.change == 'l':
			c.once = part.change
		case part.change != 0:
			c.all, c.once = part.change, 0
		case part.group < 0:
			if c.all == 0 && c.once == 0 {
				c.out = append(c.out, part.text...)
				continue
			}
			c.write([]byte(part.text))
		case 2*part.group+1 < len(match) && match[2*part.group] >= 0:
			c.write(text[match[2*part.group]:match[2*part.group+1]])
		}
	}
}
