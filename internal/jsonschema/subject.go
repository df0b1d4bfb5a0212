package jsonschema

import (
	"strings"

	"github.com/wasmtool/wasmtool/internal/plaintext"
)

// schemaSubject names the place of a fault in a schema: the property, then the
// keyword. It ends so that a message can follow.
func schemaSubject(pointer string) string {
	property, rest := splitProperty(pointer)
	subject := propertyPrefix(property)
	if len(rest) > 0 {
		subject += strings.Join(rest, "/") + ": "
	}
	return plaintext.Visible(subject)
}

// propertySubject is schemaSubject without the keyword.
func propertySubject(pointer string) string {
	property, _ := splitProperty(pointer)
	return plaintext.Visible(propertyPrefix(property))
}

func propertyPrefix(property string) string {
	if property == "" {
		return ""
	}
	return "property " + quoteName(property) + ": "
}

// splitProperty separates the names of properties that a pointer into a schema
// passes, as a.b or a[].b, from the keywords after the last of them.
func splitProperty(pointer string) (property string, rest []string) {
	path := pathOf(pointer)
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
