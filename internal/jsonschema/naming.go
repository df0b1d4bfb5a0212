package jsonschema

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/wasmtool/wasmtool/internal/jsontree"
	"github.com/wasmtool/wasmtool/internal/plaintext"
	"github.com/wasmtool/wasmtool/internal/suggest"
)

// schemaSubject names the place of an error in a schema: the property, then the keyword. A message
// can follow it directly.
func schemaSubject(pointer string) string {
	property, rest := splitProperty(pointer)
	subject := propertyPrefix(property)
	if len(rest) > 0 {
		subject += strings.Join(rest, "/") + ": "
	}
	return plaintext.Visible(subject)
}

// propertySubject is like schemaSubject, without the keyword.
func propertySubject(pointer string) string {
	property, _ := splitProperty(pointer)
	return plaintext.Visible(propertyPrefix(property))
}

func propertyPrefix(property string) string {
	if property == "" {
		return ""
	}
	return "property " + jsontree.QuoteName(property) + ": "
}

// splitProperty splits a pointer into a schema. property is the path of the properties in the
// pointer, such as a.b or a[].b. The result rest has the keywords after the last property.
func splitProperty(pointer string) (property string, rest []string) {
	path := jsontree.SplitPointer(pointer)
	for i := 0; i < len(path); i++ {
		switch {
		case path[i] == "properties" && i+1 < len(path):
			if property != "" {
				property += "."
			}
			i++
			property += path[i]
			rest = nil
		case path[i] == "items" && i+1 < len(path) && property != "":
			property += "[]"
			rest = nil
		default:
			rest = append(rest, path[i])
		}
	}
	return property, rest
}

// nearest returns the candidate that the author of name most likely meant, or "". Names that differ
// only in case and separators are equal.
func nearest(name string, candidates []string) string {
	// A schema may declare thousands of names, and a call may send thousands of other names.
	const maxCandidates = 1000
	candidates = candidates[:min(len(candidates), maxCandidates)]
	plain := plainName(name)
	for _, candidate := range candidates {
		if plainName(candidate) == plain {
			return candidate
		}
	}
	return suggest.Nearest(name, candidates)
}

// plainName returns the same string for names such as filePath, file_path and file-path.
func plainName(name string) string {
	return strings.Map(func(r rune) rune {
		if r == '_' || r == '-' || r == '.' || r == ' ' {
			return -1
		}
		return unicode.ToLower(r)
	}, name)
}

// didYouMean returns the end of a message about an unknown name: the candidate that was probably
// meant, or else the words in listing and a list of all candidates.
func didYouMean(name string, candidates []string, listing string) string {
	if meant := nearest(name, candidates); meant != "" {
		return fmt.Sprintf("; did you mean %s?", jsontree.QuoteName(meant))
	}
	if len(candidates) == 0 || listing == "" {
		return ""
	}
	return "; " + listing + " " + listNames(candidates)
}

// listNames quotes and joins at most maxListed names.
func listNames(names []string) string {
	var texts []string
	for _, name := range names {
		if len(texts) == maxListed {
			return fmt.Sprintf("%s and %d more", strings.Join(texts, ", "), len(names)-maxListed)
		}
		texts = append(texts, jsontree.QuoteName(name))
	}
	return strings.Join(texts, ", ")
}
