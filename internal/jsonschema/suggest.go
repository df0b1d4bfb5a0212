package jsonschema

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/wasmtool/wasmtool/internal/suggest"
)

// nearest returns the candidate that the name was most likely meant to be, or
// "". Names that differ only in case and separators count as the same.
func nearest(name string, candidates []string) string {
	// A schema may declare thousands of names, and a call send as many others.
	const most = 1000
	candidates = candidates[:min(len(candidates), most)]
	plain := plainName(name)
	for _, candidate := range candidates {
		if plainName(candidate) == plain {
			return candidate
		}
	}
	return suggest.Nearest(name, candidates)
}

// plainName removes what distinguishes filePath, file_path and file-path.
func plainName(name string) string {
	return strings.Map(func(r rune) rune {
		if r == '_' || r == '-' || r == '.' || r == ' ' {
			return -1
		}
		return unicode.ToLower(r)
	}, name)
}

// didYouMean returns the end of a message about an unknown name: the likely
// candidate, or else the names there are.
func didYouMean(name string, candidates []string, listing string) string {
	if meant := nearest(name, candidates); meant != "" {
		return fmt.Sprintf("; did you mean %s?", quoteName(meant))
	}
	if len(candidates) == 0 || listing == "" {
		return ""
	}
	return "; " + listing + " " + listNames(candidates)
}

// listNames quotes names, as many as a message should hold.
func listNames(names []string) string {
	var texts []string
	for _, name := range names {
		if len(texts) == maxListed {
			return fmt.Sprintf("%s and %d more", strings.Join(texts, ", "), len(names)-maxListed)
		}
		texts = append(texts, quoteName(name))
	}
	return strings.Join(texts, ", ")
}
