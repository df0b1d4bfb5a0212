package child

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/wasmtool/wasmtool/internal/plaintext"
)

// job is the task of a child, without the module. On the wire, a job is a header of five
// little-endian words. The module follows, up to the end of the stream.
type job struct {
	timeout time.Duration
	memory  uint64 // bytes
	output  uint64 // bytes in one file
	size    uint64 // bytes of the module
}

const (
	// jobMagic changes with the format, so that a program of another build is detected.
	jobMagic    = 0x3162_6f6a_6d73_6177 // "wasmjob1"
	headerWords = 5
	headerBytes = 8 * headerWords
	// maxBytes, 1 TiB, is the maximum of every limit in bytes, so that no sum of limits overflows.
	maxBytes = 1 << 40
)

func (j job) header() []byte {
	b := make([]byte, 0, headerBytes)
	for _, word := range [headerWords]uint64{jobMagic, uint64(j.timeout), j.memory, j.output, j.size} {
		b = binary.LittleEndian.AppendUint64(b, word)
	}
	return b
}

// check returns an error that names the option out of range.
func (j job) check() error {
	switch {
	case j.timeout <= 0 || j.timeout > MaxTimeout:
		return fmt.Errorf("Options.Timeout is %v; it must be above 0 and at most %v", j.timeout, MaxTimeout)
	case j.memory < MinMaxMemory || j.memory > maxBytes:
		return fmt.Errorf("Options.MaxMemory is %d bytes; it must be %d to %d", j.memory, uint64(MinMaxMemory), uint64(maxBytes))
	case j.output == 0 || j.output > maxBytes:
		return fmt.Errorf("Options.MaxOutput is %d bytes; it must be above 0 and at most %d", j.output, uint64(maxBytes))
	case j.size > MaxModuleBytes:
		return fmt.Errorf("the module has %d bytes; the limit is %d", j.size, uint64(MaxModuleBytes))
	}
	return nil
}

// errJob means that the input is not a job. It has no detail, because only a parent process from a
// different build sends such input.
var errJob = errors.New("the job has an unknown format")

func readHeader(r io.Reader) (job, error) {
	var b [headerBytes]byte
	if _, err := io.ReadFull(r, b[:]); err != nil {
		return job{}, errJob
	}
	var words [headerWords]uint64
	for i := range words {
		words[i] = binary.LittleEndian.Uint64(b[8*i:])
	}
	j := job{timeout: time.Duration(words[1]), memory: words[2], output: words[3], size: words[4]}
	if words[0] != jobMagic || j.check() != nil {
		return job{}, errJob
	}
	return j, nil
}

// readModule reads the rest of the stream, which must be exactly the module.
func (j job) readModule(r io.Reader) ([]byte, error) {
	wasm := make([]byte, j.size)
	if _, err := io.ReadFull(r, wasm); err != nil {
		return nil, errJob
	}
	var extra [1]byte
	if _, err := io.ReadFull(r, extra[:]); !errors.Is(err, io.EOF) {
		return nil, errJob
	}
	return wasm, nil
}

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
