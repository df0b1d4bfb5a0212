package openapi

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"github.com/wasmtool/wasmtool/cmd/wasmtool/internal/tooldir"
)

// plainName reports whether every model provider accepts the name of an argument.
func plainName(text string) bool {
	return text != "" && len(text) <= tooldir.MaxName && strings.Trim(text, nameCharacters) == ""
}

const nameCharacters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-."

// argumentName turns any string into the name of an argument: "filter[name]" becomes "filter_name".
func argumentName(text string) string {
	if plainName(text) {
		return text
	}
	name := strings.Map(func(r rune) rune {
		if strings.ContainsRune(nameCharacters, r) {
			return r
		}
		return ' '
	}, text)
	if name = strings.Join(strings.Fields(name), "_"); name == "" {
		return "value"
	}
	return name
}

// secretName returns the name of a secret: "api.example.com" and "bearerAuth" give
// "API_EXAMPLE_COM___BEARER_AUTH". Names of different servers must differ. Otherwise an attacker
// could write a document for a server of their own that asks for the secret of another server.
//
// A hyphen therefore becomes two underscores, because "api-example.com" and "api.example.com" are
// different servers. The three underscores after the server cannot come from a host name. If the
// server has an unusual name, or the name would be too long, secretName returns "SECRET_" and a
// hash of the server and the scheme.
func secretName(server, scheme string) string {
	name := plainServer(server) + "___" + strings.ReplaceAll(tooldir.ToolName(scheme), "-", "__")
	if strings.HasPrefix(name, "_") || len(name) > tooldir.MaxName {
		sum := sha256.Sum256([]byte(server + " " + scheme))
		name = "secret_" + hex.EncodeToString(sum[:16])
	}
	return strings.ToUpper(name)
}

// plainServer returns the part of a secret's name that stands for the server. It returns "" if
// another server could have the same part.
func plainServer(server string) string {
	for label := range strings.SplitSeq(server, ".") {
		if label == "" || strings.Trim(label, "abcdefghijklmnopqrstuvwxyz0123456789-") != "" || label[0] == '-' || label[len(label)-1] == '-' {
			return ""
		}
	}
	name := strings.NewReplacer(".", "_", "-", "__").Replace(server)
	// A secret's name must not begin with a digit. The name of a scheme cannot begin with one
	// either, so the server "host" never has a secret "host___1...".
	if name[0] <= '9' {
		name = "host___" + name
	}
	return name
}
