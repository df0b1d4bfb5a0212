package hash

import (
	"fmt"
	"io/fs"
	"os/exec"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/wasmtool/wasmtool/guest-examples/internal/testprogram"
)

func run(t *testing.T, args Args) (string, error) {
	t.Helper()
	files := fstest.MapFS{"a/abc.txt": {Data: []byte("abc")}, "pipe": {Mode: fs.ModeNamedPipe}}
	var out strings.Builder
	err := Run(files, args, &out)
	return out.String(), err
}

// The expected checksums of "abc" are copied from the standards.
func TestRun(t *testing.T) {
	for algorithm, want := range map[Algorithm]string{
		"crc32":    "352441c2",
		"md5":      "900150983cd24fb0d6963f7d28e17f72",
		"sha1":     "a9993e364706816aba3e25717850c26c9cd0d89d",
		"sha224":   "23097d223405d8228642a477bda255b32aadbce4bda0b3f7e36c9da7",
		"":         "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
		"sha256":   "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
		"sha384":   "cb00753f45a35e8bb5a03d699ac65007272c32ab0eded1631a8b605a43ff5bed8086072ba1e7cc2358baeca134c825a7",
		"sha512":   "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f",
		"sha3-256": "3a985da74fe225b2045c172d6bd390bd855f086e3e9d525b46bfe24511431532",
		"sha3-512": "b751850b1a57168a5693cd924b6b096e08f621827444f70d884f5d0240d2712e10e116e9192af3c91a7ec57647e3934057340b4cf408d5a56592f8274eec53f0",
	} {
		for _, args := range []Args{
			{Algorithm: algorithm, Text: new("abc")},
			{Algorithm: algorithm, Data: new("YWJj")},
			{Algorithm: algorithm, FilePath: new("a/abc.txt")},
			{Algorithm: algorithm, FilePath: new("/workspace/a/abc.txt"), Encoding: Hex},
		} {
			if got, err := run(t, args); err != nil || got != want {
				t.Errorf("%s: got %q, %v; want %q", algorithm, got, err, want)
			}
		}
	}
}

func TestRun_encodings(t *testing.T) {
	const sha1 = "qZk+NkcGgWq6PiVxeFDCbJzQ2J0="
	for _, test := range []struct {
		args Args
		want string
	}{
		{Args{Algorithm: "sha1", Text: new("abc"), Encoding: Base64}, sha1},
		{Args{Algorithm: "sha1", Text: new("abc"), Encoding: Base64, Expected: sha1 + "\n"}, sha1 + "\nmatches"},
		{Args{Algorithm: "sha1", Text: new("abc"), Encoding: Base64, Expected: strings.ToLower(sha1)}, sha1 + "\ndiffers from the expected checksum"},
		{Args{Algorithm: "crc32", Text: new("abc"), Expected: "352441C2"}, "352441c2\nmatches"},
		{Args{Algorithm: "crc32", Text: new("abc"), Expected: "352441c3"}, "352441c2\ndiffers from the expected checksum"},
		{Args{Algorithm: "crc32", Text: new("abc"), Expected: "a9993e364706816aba3e25717850c26c9cd0d89d"}, "352441c2\ndiffers: the expected checksum has 40 characters, but a checksum of crc32 has 8; check the algorithm"},
		{Args{Algorithm: "crc32", Text: new("")}, "00000000"},
		{Args{Algorithm: "crc32", Data: new("_-8")}, "e2481064"},
		{Args{Algorithm: "crc32", Data: new("/+8=\n")}, "e2481064"},
	} {
		if got, err := run(t, test.args); err != nil || got != test.want {
			t.Errorf("got %q, %v; want %q", got, err, test.want)
		}
	}
}

func TestRun_errors(t *testing.T) {
	for _, test := range []struct {
		args Args
		want string
	}{
		{Args{}, "give exactly one of text, base64 and file_path"},
		{Args{Text: new("a"), FilePath: new("a")}, "give exactly one of text, base64 and file_path"},
		{Args{Text: new("a"), Algorithm: "blake2"}, `the argument "algorithm" is "blake2"; it must be one of crc32, md5,`},
		{Args{Text: new("a"), Encoding: "octal"}, `the argument "encoding" is "octal"; it must be hex or base64`},
		{Args{Data: new("a!")}, "base64 is invalid"},
		{Args{FilePath: new("none")}, "file_path: "},
		{Args{FilePath: new("../a")}, "file_path: "},
		{Args{FilePath: new("a")}, "a is a directory; give the path of a file"},
		{Args{FilePath: new("pipe")}, "pipe is not a regular file"},
	} {
		got, err := run(t, test.args)
		if err == nil || !strings.Contains(err.Error(), test.want) || got != "" {
			t.Errorf("got %q, %v; want an error with %q", got, err, test.want)
		}
	}
}

// The system's programs for checksums give the same result.
func TestRun_againstPrograms(t *testing.T) {
	text := strings.Repeat("wasmtool\x00ü\n", 10_000)
	for _, algorithm := range []Algorithm{"md5", "sha1", "sha224", "sha256", "sha384", "sha512"} {
		program := testprogram.Path(t, fmt.Sprintf("%ssum", algorithm))
		cmd := exec.CommandContext(t.Context(), program)
		cmd.Stdin = strings.NewReader(text)
		output, err := cmd.Output()
		if err != nil {
			t.Fatal(err)
		}
		want, _, _ := strings.Cut(string(output), " ")
		if got, err := run(t, Args{Algorithm: algorithm, Text: &text}); err != nil || got != want {
			t.Errorf("%s: got %s, %v; want %s", algorithm, got, err, want)
		}
	}
}
