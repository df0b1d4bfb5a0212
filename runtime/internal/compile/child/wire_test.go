package child

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"
)

func goodJob() job {
	return job{timeout: time.Second, memory: MinMaxMemory, output: 1, size: 4}
}

func TestJobRoundTrip(t *testing.T) {
	stream := io.MultiReader(bytes.NewReader(goodJob().header()), strings.NewReader("wasm"))
	j, err := readHeader(stream)
	if err != nil || j != goodJob() {
		t.Fatalf("got %+v (%v)", j, err)
	}
	if wasm, err := j.readModule(stream); err != nil || string(wasm) != "wasm" {
		t.Errorf("got %q (%v)", wasm, err)
	}
}

func TestInvalidJobsAreRefused(t *testing.T) {
	header := func(change func(*job)) string {
		j := goodJob()
		change(&j)
		return string(j.header())
	}
	good := string(goodJob().header())
	for name, stream := range map[string]string{
		"nothing":             "",
		"half a header":       good[:20],
		"another program":     "x" + good[1:] + "wasm",
		"half a module":       good + "was",
		"more than a module":  good + "wasm!",
		"no time":             header(func(j *job) { j.timeout = 0 }) + "wasm",
		"less than no time":   header(func(j *job) { j.timeout = -1 }) + "wasm",
		"much time":           header(func(j *job) { j.timeout = MaxTimeout + 1 }) + "wasm",
		"little memory":       header(func(j *job) { j.memory = MinMaxMemory - 1 }) + "wasm",
		"all memory":          header(func(j *job) { j.memory = 1 << 63 }) + "wasm",
		"no output":           header(func(j *job) { j.output = 0 }) + "wasm",
		"all output":          header(func(j *job) { j.output = 1 << 63 }) + "wasm",
		"a module of 256 MiB": header(func(j *job) { j.size = MaxModuleBytes + 1 }) + "wasm",
	} {
		t.Run(name, func(t *testing.T) {
			r := strings.NewReader(stream)
			j, err := readHeader(r)
			if err == nil {
				_, err = j.readModule(r)
			}
			if !errors.Is(err, errJob) {
				t.Errorf("got %v, want %v", err, errJob)
			}
		})
	}
}

func TestReplyRoundTrip(t *testing.T) {
	for _, want := range []reply{
		{Outcome: compiled},
		{Outcome: tooBig},
		{Outcome: tooLong},
		{Outcome: refused, Message: `<"é" & \>`},
		{Outcome: failed, Message: "no space left on device"},
	} {
		greeted, got, ok := parseReply(append([]byte(greeting), want.encode()...))
		if !greeted || !ok || got != want {
			t.Errorf("got %+v (%t, %t), want %+v", got, greeted, ok, want)
		}
	}
}

func TestInvalidRepliesAreRefused(t *testing.T) {
	for name, line := range map[string]string{
		"nothing":                  "",
		"no line":                  `{"outcome":"compiled"}`,
		"two lines":                `{"outcome":"compiled"}` + "\n\n",
		"two replies":              `{"outcome":"compiled"}` + "\n" + `{"outcome":"compiled"}` + "\n",
		"a space":                  `{"outcome": "compiled"}` + "\n",
		"another case":             `{"Outcome":"compiled"}` + "\n",
		"a field twice":            `{"outcome":"refused","outcome":"compiled"}` + "\n",
		"a field too many":         `{"outcome":"compiled","x":1}` + "\n",
		"no outcome":               `{"message":"x"}` + "\n",
		"an unknown outcome":       `{"outcome":"done"}` + "\n",
		"a message of success":     `{"outcome":"compiled","message":"x"}` + "\n",
		"a refusal without reason": `{"outcome":"refused"}` + "\n",
		"null":                     "null\n",
	} {
		if greeted, r, ok := parseReply([]byte(greeting + line)); !greeted || ok || r != (reply{}) {
			t.Errorf("%s: got %+v (%t, %t), want a greeting only", name, r, greeted, ok)
		}
	}
	if greeted, _, ok := parseReply(reply{Outcome: compiled}.encode()); greeted || ok {
		t.Error("a reply without greeting is believed")
	}
}

func FuzzReadJob(f *testing.F) {
	f.Add(append(goodJob().header(), "wasm"...))
	f.Add(goodJob().header()[:headerBytes-1])
	f.Add(job{timeout: MaxTimeout + 1, memory: 1 << 63, output: 1, size: 1 << 40}.header())
	f.Fuzz(func(t *testing.T, stream []byte) {
		r := bytes.NewReader(stream)
		j, err := readHeader(r)
		if err != nil {
			return
		}
		if j.check() != nil || !bytes.Equal(j.header(), stream[:headerBytes]) {
			t.Fatalf("%x is read as %+v", stream[:headerBytes], j)
		}
		if j.size > 1<<20 {
			return // because readModule would allocate as many bytes as the header declares
		}
		wasm, err := j.readModule(r)
		if (err == nil) != (uint64(len(stream)-headerBytes) == j.size) || err == nil && !bytes.Equal(wasm, stream[headerBytes:]) {
			t.Fatalf("%d bytes after the header give a module of %d (%v)", len(stream)-headerBytes, len(wasm), err)
		}
	})
}

func FuzzParseReply(f *testing.F) {
	f.Add([]byte(greeting))
	for _, r := range []reply{{Outcome: compiled}, {Outcome: tooBig}, {Outcome: tooLong}, {Outcome: refused, Message: "x\x1b\u2028\n\xff/dir/y"}, {Outcome: failed, Message: " "}} {
		f.Add(append([]byte(greeting), r.encode()...))
	}
	f.Fuzz(func(t *testing.T, said []byte) {
		greeted, r, ok := parseReply(said)
		if greeted != bytes.HasPrefix(said, []byte(greeting)) {
			t.Fatalf("greeted is %t", greeted)
		}
		if !ok {
			return
		}
		if !bytes.Equal(append([]byte(greeting), r.encode()...), said) {
			t.Fatalf("%q is read as %+v", said, r)
		}
		err := r.err(goodJob(), "/dir")
		if (err == nil) != (r.Outcome == compiled) {
			t.Fatalf("%+v gives %v", r, err)
		}
		if err == nil {
			return
		}
		text := err.Error()
		if text == "" || !utf8.ValidString(text) || utf8.RuneCountInString(text) > maxMessageRunes+3 || strings.Contains(text, "/dir") ||
			strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) }) {
			t.Errorf("the message %q is not fit to show", text)
		}
	})
}
