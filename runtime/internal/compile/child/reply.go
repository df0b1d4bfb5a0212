package child

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/wasmtool/wasmtool/internal/plaintext"
)

// outcome is how a compilation ended, in a child that could still reply.
type outcome string

const (
	compiled outcome = "compiled"
	refused  outcome = "refused"  // the compiler refused the module
	tooBig   outcome = "too_big"  // compiling takes too much memory
	tooLong  outcome = "too_long" // the file of code is too large
	failed   outcome = "failed"   // an error of the child or its environment
)

// reply is the last output of a child: one line of JSON.
type reply struct {
	Outcome outcome `json:"outcome"`
	Message string  `json:"message,omitempty"`
}

const (
	// greeting is the first output of a child, after its limits are set and before it reads the
	// module. A crash after the greeting is caused by the module.
	greeting = "wasmtool compiles 1\n"
	// maxReplyBytes limits the output of a child.
	maxReplyBytes = 64 << 10
	// maxMessageRunes limits a message, which names a place in the module and a reason.
	maxMessageRunes = 300
	// maxDetailBytes limits Error.Detail.
	maxDetailBytes = 4 << 10
)

func (r reply) encode() []byte {
	line, err := json.Marshal(r)
	if err != nil { // two strings always encode
		return nil
	}
	return append(line, '\n')
}

// parseReply parses the output of a child: whether it starts with the greeting, and the reply. ok
// is false unless the reply is complete and exactly what encode writes.
func parseReply(output []byte) (greeted bool, r reply, ok bool) {
	line, greeted := bytes.CutPrefix(output, []byte(greeting))
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

// tidy shortens a message to one line of printable characters.
func tidy(message string) string {
	message, _, _ = strings.Cut(strings.TrimSpace(message), "\n")
	message = plaintext.Replace(message, plaintext.Word, func(plaintext.Finding) string { return "?" })
	return plaintext.Excerpt(message, maxMessageRunes)
}
