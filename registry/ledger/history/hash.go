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
	h := &hasher{buf: make([]byte, 0, 128)}
	h.json(doc)
	return h.hex()
}

// HashArguments returns HashJSON of the arguments' JSON.
func HashArguments(arguments jsonschema.Arguments) string {
	h := &hasher{buf: make([]byte, 0, 128)}
	if len(arguments.JSON) > maxKey {
		add(h, "bytes", arguments.JSON)
	} else {
		add(h, "json", arguments.Key())
	}
	return h.hex()
}

// hasher hashes a list of texts. It collects short texts, because a hash.Hash is always allocated.
type hasher struct {
	sum hash.Hash // nil before the first long text
	buf []byte    // follows what is in sum
}

func (h *hasher) json(doc json.RawMessage) {
	if len(doc) == 0 || string(doc) == "null" {
		doc = json.RawMessage("{}")
	}
	if len(doc) <= maxKey {
		if v, err := jsontree.Parse(doc, jsontree.Document("the document")); err == nil {
			add(h, "json", v.Key())
			return
		}
	}
	add(h, "bytes", doc)
}

// add adds a text with its length, so that different lists of texts have different hashes.
func add[T string | []byte | json.RawMessage](h *hasher, kind string, text T) {
	h.buf = append(strconv.AppendInt(append(append(h.buf, kind...), ' '), int64(len(text)), 10), ':')
	if len(text) <= maxKey {
		h.buf = append(h.buf, text...)
		return
	}
	if h.sum == nil {
		h.sum = sha256.New()
	}
	h.sum.Write(h.buf)
	h.sum.Write([]byte(text))
	h.buf = h.buf[:0]
}

func (h *hasher) hex() string {
	sum := sha256.Sum256(h.buf)
	if h.sum != nil {
		h.sum.Write(h.buf)
		sum = [sha256.Size]byte(h.sum.Sum(nil))
	}
	return string(hex.AppendEncode(make([]byte, 0, 2*len(sum)), sum[:]))
}

// HashResult returns equal hashes for results that look the same to a model. It compares content,
// attachments, the structured result and the code of a failure. It ignores warnings and the cost
// of the call.
func HashResult(result tool.Result, code tool.Code) string {
	h := &hasher{buf: make([]byte, 0, 128)}
	add(h, "code", string(code))
	for _, list := range [...][]tool.Content{result.Content, result.Attachments} {
		for i := range list {
			if c := &list[i]; c.Type == tool.ContentText {
				add(h, "text", c.Text)
			} else if text, err := json.Marshal(c); err == nil {
				add(h, "content", text)
			}
		}
	}
	if len(result.Structured) > 0 {
		h.json(result.Structured)
	}
	return h.hex()
}
