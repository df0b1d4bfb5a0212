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

// maxKey is the max size of JSON that is parsed so that equal values have equal hashes, in bytes.
// Parsing and sorting take far longer than hashing, and the caller waits for them.
const maxKey = 32 << 10

// HashJSON returns equal hashes for equal JSON. The order of fields and the notation of numbers do
// not matter. Documents that are not strict JSON or longer than 32 KiB are compared by their bytes.
// An empty document and null are equal to {}, as they are for a tool.
func HashJSON(doc json.RawMessage) string {
	sum := sha256.New()
	addJSON(sum, doc)
	return hex.EncodeToString(sum.Sum(nil))
}

// HashArguments returns HashJSON of the arguments' JSON.
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

// addText adds a text with its length, so that different lists of texts have different hashes.
func addText(sum hash.Hash, kind string, text []byte) {
	sum.Write(append(strconv.AppendInt([]byte(kind+" "), int64(len(text)), 10), ':'))
	sum.Write(text)
}

// HashResult returns equal hashes for results that look the same to a model. It compares content,
// attachments, the structured result and the code of a failure. It ignores warnings and the cost
// of the call.
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
