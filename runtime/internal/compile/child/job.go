package child

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"time"
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
