//go:build wasip1

// Command script is a tool for attack tests. It runs the steps of its input in order, calls the
// host functions without the SDK, and returns the outcome of each step.
package main

import (
	"context"
	"errors"
	"os"
	"runtime"
	"strings"
	"unsafe"

	"github.com/wasmtool/wasmtool/guest"
)

// step is one action.
type step struct {
	Do string `json:"do"`
	// Text, More and Last are the operands. Each is repeated Times times; 0 means once.
	Text  string  `json:"text"`
	More  *string `json:"more"`
	Last  *string `json:"last"`
	Times int     `json:"times"`
	// Handle is the handle of a response; -1 means the response opened last.
	Handle int32 `json:"handle"`
	// Size is the size of the buffer; 0 means a size that suits most steps. If Raw is set, Ptr and
	// Len are the address and the size of the buffer, and Size is ignored.
	Size int    `json:"size"`
	Raw  bool   `json:"raw"`
	Ptr  uint32 `json:"ptr"`
	Len  uint32 `json:"len"`
	// Repeat is how often the step runs; only the last outcome is returned.
	Repeat int `json:"repeat"`
}

// outcome is the result of a step.
type outcome struct {
	Code  int32  `json:"code"`
	Text  string `json:"text,omitempty"`
	Error string `json:"error,omitempty"`
}

type input struct {
	Steps []step `json:"steps"`
}

func main() { guest.Run(play) }

// kept is data that stays in memory after a call. opened is the last response that was opened.
// files are the files that are still open. last has the outcomes of the steps so far.
var (
	kept   string
	opened int32
	files  []*os.File
	last   []outcome
)

// transcript returns all text that the steps have returned so far.
func transcript() string {
	var all strings.Builder
	for _, t := range last {
		all.WriteString(t.Text + t.Error)
	}
	return all.String()
}

const absent = 0xffff_ffff

func play(_ context.Context, in input) (guest.Result, error) {
	if in.Steps == nil {
		warmUp()
	}
	all := []outcome{}
	for _, s := range in.Steps {
		var t outcome
		for range max(1, s.Repeat) {
			t = s.run()
		}
		if s.Do == "fail" {
			return guest.Result{}, errors.New(s.Text + transcript())
		}
		if t.Code < 0 {
			t.Error = lastError()
		}
		all = append(all, t)
		last = all
	}
	return guest.Result{Structured: map[string]any{"steps": all}}, nil
}

// warmUp tries to call every host function before the first call.
func warmUp() {
	key := "warm"
	p, n := textRange(key)
	kept += string(rune('A' - kvPut(p, n, p, n)))
	kept += string(rune('A' + secretExists(textRange("TOKEN"))))
	p, n = textRange(`{"method":"GET","url":"http://api.example.com/warm"}`)
	kept += string(rune('A' - httpRequest(p, n, 0, 0)))
	hostLog(3, p, n)
	hostProgress(1, 1, p, n)
}

func lastError() string {
	buffer := make([]byte, 4096)
	n := errorRead(dataRange(buffer))
	return string(buffer[:min(int(n), len(buffer))])
}

func textRange(s string) (ptr, size uint32) {
	return uint32(uintptr(unsafe.Pointer(unsafe.StringData(s)))), uint32(len(s))
}

func dataRange(b []byte) (ptr, size uint32) {
	return uint32(uintptr(unsafe.Pointer(unsafe.SliceData(b)))), uint32(len(b))
}

func (s step) text() string { return strings.Repeat(s.Text, max(1, s.Times)) }

func (s step) more() string {
	if s.More == nil {
		return ""
	}
	return strings.Repeat(*s.More, max(1, s.Times))
}

func optional(s *string) (ptr, size uint32) {
	if s == nil {
		return 0, absent
	}
	return textRange(*s)
}

func (s step) handle() uint32 {
	if s.Handle == -1 {
		return uint32(opened)
	}
	return uint32(s.Handle)
}

// buffered passes a buffer to the function call, and returns the text that the function writes
// there.
func (s step) buffered(call func(ptr, size uint32) int32) outcome {
	size := s.Size
	if size == 0 {
		size = 64 << 10
	}
	buffer := make([]byte, size)
	p, n := dataRange(buffer)
	if s.Raw {
		p, n = s.Ptr, s.Len
	}
	code := call(p, n)
	if s.Raw || code < 0 {
		return outcome{Code: code}
	}
	return outcome{Code: code, Text: string(buffer[:min(int(code), size)])}
}

func (s step) run() outcome {
	text, more := s.text(), s.more()
	// text must stay alive, because the garbage collector does not see its address in an integer
	defer runtime.KeepAlive(text)
	defer runtime.KeepAlive(more)
	p, n := textRange(text)
	q, m := textRange(more)
	k, l := p, n
	if s.Raw {
		p, n = s.Ptr, s.Len
	}
	switch s.Do {
	case "request":
		code := httpRequest(p, n, q, m)
		if code > 0 {
			opened = code
		}
		return outcome{Code: code}
	case "head":
		return s.buffered(func(p, n uint32) int32 { return httpHead(s.handle(), p, n) })
	case "read":
		return s.buffered(func(p, n uint32) int32 { return httpRead(s.handle(), p, n) })
	case "body":
		return s.body()
	case "close":
		return outcome{Code: httpClose(s.handle())}
	case "exists":
		return outcome{Code: secretExists(p, n)}
	case "get":
		return s.buffered(func(p, n uint32) int32 { return kvGet(k, l, p, n) })
	case "put":
		return outcome{Code: kvPut(p, n, q, m)}
	case "delete":
		return outcome{Code: kvDelete(p, n)}
	case "swap":
		old, oldSize := optional(s.More)
		value, size := optional(s.Last)
		return outcome{Code: kvSwap(p, n, old, oldSize, value, size)}
	case "list":
		return s.buffered(func(p, n uint32) int32 { return kvList(k, l, q, m, p, n) })
	case "count":
		return count(text)
	case "log":
		return outcome{Code: int32(hostLog(1, p, n))}
	case "progress":
		return outcome{Code: int32(hostProgress(1, 2, p, n))}
	case "update":
		return outcome{Code: hostUpdate(p, n)}
	case "stderr":
		os.Stderr.WriteString(text)
	case "env":
		return outcome{Text: strings.Join(os.Environ(), "\n")}
	case "file":
		return s.file(os.ReadFile(text))
	case "create":
		return s.file(nil, os.WriteFile(text, []byte(more), 0o666))
	case "open":
		f, err := os.Open(text)
		files = append(files, f)
		return s.file(nil, err)
	case "keep":
		kept += s.body().Text
	case "kept":
		return outcome{Text: kept}
	case "say":
		return outcome{Text: text}
	case "echo":
		s.echo()
	case "fail":
	case "error":
		return outcome{Text: lastError()}
	case "spin":
		for {
		}
	}
	return outcome{}
}

// file returns the content of a file, or the error of opening or reading it.
func (s step) file(content []byte, err error) outcome {
	if err != nil {
		return outcome{Text: err.Error()}
	}
	return outcome{Text: string(content)}
}

// echo sends the transcript to every output that the tool has.
func (s step) echo() {
	text := transcript()
	p, n := textRange(text)
	hostLog(1, p, n)
	hostProgress(1, 2, p, n)
	kvPut(p, min(n, 512), p, n)
	kvGet(p, min(n, 512), 0, 0)
	os.Stderr.WriteString(text)
	runtime.KeepAlive(text)
}

// body reads the last opened response to its end, in pieces of Size bytes.
func (s step) body() outcome {
	size := s.Size
	if size == 0 {
		size = 4096
	}
	buffer := make([]byte, size)
	var all []byte
	for {
		code := httpRead(s.handle(), uint32(uintptr(unsafe.Pointer(unsafe.SliceData(buffer)))), uint32(size))
		if code <= 0 {
			return outcome{Code: code, Text: string(all)}
		}
		all = append(all, buffer[:code]...)
	}
}

// count adds one to a counter in the store, and retries until the swap succeeds.
func count(key string) outcome {
	k, l := textRange(key)
	buffer := make([]byte, 1024)
	for {
		p, n := dataRange(buffer)
		old, oldSize, size := uint32(0), uint32(absent), kvGet(k, l, p, n)
		if size >= 0 {
			old, oldSize = p, uint32(size)
		} else {
			size = 0
		}
		next := append(buffer[:size:size], '+')
		q, m := dataRange(next)
		if swapped := kvSwap(k, l, old, oldSize, q, m); swapped != 0 {
			return outcome{Code: swapped}
		}
	}
}
