package history

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"hash"
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
	h := newHasher()
	h.json(doc)
	return h.hex()
}

// HashArguments returns HashJSON of the arguments' JSON.
func HashArguments(arguments jsonschema.Arguments) string {
	h := newHasher()
	if len(arguments.JSON) > maxKey {
		h.bytes("bytes", arguments.JSON)
	} else {
		h.bytes("json", arguments.Key())
	}
	return h.hex()
}

// hasher hashes a list of texts.
type hasher struct {
	sum hash.Hash
	buf []byte // is reused, since what is written to a hash.Hash is always allocated
}

func newHasher() hasher { return hasher{sha256.New(), make([]byte, 0, 128)} }

func (h hasher) json(doc json.RawMessage) {
	if len(doc) == 0 || string(doc) == "null" {
		doc = json.RawMessage("{}")
	}
	if len(doc) <= maxKey {
		if v, err := jsontree.Parse(doc, jsontree.Document("the document")); err == nil {
			h.bytes("json", v.Key())
			return
		}
	}
	h.bytes("bytes", doc)
}

// length adds the kind and the length of a text that follows, so that different lists of texts have
// different hashes.
func (h hasher) length(kind string, n int) {
	buf := append(append(h.buf[:0], kind...), ' ')
	h.sum.Write(append(strconv.AppendInt(buf, int64(n), 10), ':'))
}

func (h hasher) bytes(kind string, text []byte) {
	h.length(kind, len(text))
	h.sum.Write(text)
}

func (h hasher) text(kind, text string) {
	h.length(kind, len(text))
	for text != "" {
		n := min(len(text), cap(h.buf))
		h.sum.Write(append(h.buf[:0], text[:n]...))
		text = text[n:]
	}
}

func (h hasher) hex() string {
	sum := h.sum.Sum(h.buf[:0])
	return string(hex.AppendEncode(sum, sum)[len(sum):])
}

// HashResult returns equal hashes for results that look the same to a model. It compares content,
// attachments, the structured result and the code of a failure. It ignores warnings and the cost
// of the call.
func HashResult(result tool.Result, code tool.Code) string {
	h := newHasher()
	h.text("code", string(code))
	for _, list := range [...][]tool.Content{result.Content, result.Attachments} {
		for i := range list {
			if c := &list[i]; c.Type == tool.ContentText {
				h.text("text", c.Text)
			} else if text, err := json.Marshal(c); err == nil {
				h.bytes("content", text)
			}
		}
	}
	if len(result.Structured) > 0 {
		h.json(result.Structured)
	}
	return h.hex()
}
