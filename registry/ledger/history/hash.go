package history

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"hash"
	"slices"
	"strconv"

	"github.com/wasmtool/wasmtool/internal/jsonschema"
	"github.com/wasmtool/wasmtool/internal/jsontree"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// maxKey is how long JSON may be, in bytes, to be compared by its meaning. Parsing and
// sorting takes far longer than a hash, and a call that has ended waits for it.
const maxKey = 32 << 10

// HashJSON is equal for equal JSON: fields in any order, numbers in any form. Of what is
// no strict JSON, or longer than 32 KiB, the bytes count. Nothing, and null, are equal to
// {}, as for a tool.
func HashJSON(doc json.RawMessage) string {
	sum := sha256.New()
	addJSON(sum, doc)
	return hex.EncodeToString(sum.Sum(nil))
}

// HashArguments is HashJSON of their JSON.
func HashArguments(arguments jsonschema.Arguments) string {
	sum := sha256.New()
	if len(arguments.JSON) > maxKey {
		addText(sum, "bytes", arguments.JSON)
	} else {
		addText(sum, "json", arguments.Key())
	}
	return hex.EncodeToString(sum.Sum(nil))
}

func addJSON(sum hash.Hash, doc json.RawMessage) {
	if len(doc) == 0 || string(doc) == "null" {
		doc = json.RawMessage("{}")
	}
	if len(doc) <= maxKey {
		if v, err := jsontree.Parse(doc, jsontree.Document("the document")); err == nil {
			addText(sum, "json", v.Key())
			return
		}
	}
	addText(sum, "bytes", doc)
}

// addText adds a text with its length, so that no two lists run together.
func addText(sum hash.Hash, kind string, text []byte) {
	sum.Write(append(strconv.AppendInt([]byte(kind+" "), int64(len(text)), 10), ':'))
	sum.Write(text)
}

// HashResult is equal for results that tell a model the same: content, structure and, of a
// failure, its code. Warnings and what the call cost do not count.
func HashResult(result tool.Result, code tool.Code) string {
	sum := sha256.New()
	addText(sum, "code", []byte(code))
	for _, c := range slices.Concat(result.Content, result.Attachments) {
		if c.Type == tool.ContentText {
			addText(sum, "text", []byte(c.Text))
		} else if text, err := json.Marshal(c); err == nil {
			addText(sum, "content", text)
		}
	}
	if len(result.Structured) > 0 {
		addJSON(sum, result.Structured)
	}
	return hex.EncodeToString(sum.Sum(nil))
}
