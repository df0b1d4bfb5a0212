package openapi

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"github.com/wasmtool/wasmtool/cmd/wasmtool/internal/tooldir"
)

// plainName reports whether every provider of models takes a name of an argument.
func plainName(text string) bool {
	return text != "" && len(text) <= tooldir.MaxName && strings.Trim(text, nameCharacters) == ""
}

const nameCharacters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-."

// argumentName makes a name of an argument of any text: "filter[name]" is "filter_name".
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

// secretName makes a name of a secret: "api.example.com" and "bearerAuth" are
// "API_EXAMPLE_COM___BEARER_AUTH". No other server has a secret of that name, or somebody with a
// document for their own would get it: a hyphen is two underscores, since "api-example.com" is
// somebody else, and so the three that no host gives tell where the server ends. One that is
// not of the usual form, or makes too long a name, is told by a hash.
func secretName(server, scheme string) string {
	name := plainServer(server) + "___" + strings.ReplaceAll(tooldir.ToolName(scheme), "-", "__")
	if strings.HasPrefix(name, "_") || len(name) > tooldir.MaxName {
		sum := sha256.Sum256([]byte(server + " " + scheme))
		name = "secret_" + hex.EncodeToString(sum[:16])
	}
	return strings.ToUpper(name)
}

// plainServer is a server as the part of a name, or "" if that could be another's, too.
func plainServer(server string) string {
	for label := range strings.SplitSeq(server, ".") {
		if label == "" || strings.Trim(label, "abcdefghijklmnopqrstuvwxyz0123456789-") != "" || label[0] == '-' || label[len(label)-1] == '-' {
			return ""
		}
	}
	name := strings.NewReplacer(".", "_", "-", "__").Replace(server)
	if name[0] <= '9' { // no variable could be called so; and no scheme's part begins like that
		name = "host___" + name
	}
	return name
}
