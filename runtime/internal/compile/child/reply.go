package child

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/wasmtool/wasmtool/internal/plaintext"
)

// outcome is how a child ended that could tell.
type outcome string

const (
	compiled outcome = "compiled"
	refused  outcome = "refused"  // with the compiler's message
	tooBig   outcome = "too_big"  // takes too much memory
	tooLong  outcome = "too_long" // the file of code does
	failed   outcome = "failed"   // something is wrong with the child or its surroundings
)

// reply is the last thing that a child says: one line of JSON.
type reply struct {
	Outcome outcome `json:"outcome"`
	Message string  `json:"message,omitempty"`
}

const (
	// greeting is the first thing that a child says, once its limits hold and before it
	// looks at the module. What ends it later is the module's doing.
	greeting = "wasmtool compiles 1\n"
	// maxReplyBytes bounds what a child may say.
	maxReplyBytes = 64 << 10
	// maxMessageRunes bounds a message, which names a place in the module and a reason.
	maxMessageRunes = 300
	// maxDetailBytes bounds Error.Detail.
	maxDetailBytes = 4 << 10
)

func (r reply) encode() []byte {
	line, err := json.Marshal(r)
	if err != nil { // two strings always encode
		return nil
	}
	return append(line, '\n')
}

// parseReply reads what a child said: whether it greeted, and its reply. ok is false
// unless the reply is whole and exactly what encode would write.
func parseReply(said []byte) (greeted bool, r reply, ok bool) {
	line, greeted := bytes.CutPrefix(said, []byte(greeting))
	if !greeted || json.Unmarshal(line, &r) != nil || !bytes.Equal(r.encode(), line) {
		return greeted, reply{}, false
	}
	switch r.Outcome {
	case compiled, tooBig, tooLong:
		ok = r.Message == ""
	case refused, failed:
		ok = r.Message != ""
	}
	if !ok {
		return greeted, reply{}, false
	}
	return greeted, r, true
}

// tidy makes a message one short line of printable characters.
func tidy(message string) string {
	message, _, _ = strings.Cut(strings.TrimSpace(message), "\n")
	message = plaintext.Replace(message, plaintext.Word, func(plaintext.Finding) string { return "?" })
	return plaintext.Excerpt(message, maxMessageRunes)
}
