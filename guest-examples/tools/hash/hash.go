// Package hash implements the built-in tool hash, which computes checksums of texts and files.
package hash

import (
	"crypto/md5"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha3"
	"crypto/sha512"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	gohash "hash"
	"hash/crc32"
	"io"
	"io/fs"
	"strings"

	"github.com/wasmtool/wasmtool/guest-examples/internal/toolabi"
	"github.com/wasmtool/wasmtool/guest-examples/internal/workspace"
)

// MaxFile limits the size of a file, in bytes.
const MaxFile = 1 << 30

// Algorithm is the name of a checksum algorithm.
type Algorithm string

// SHA256 is the default algorithm.
const SHA256 Algorithm = "sha256"

// Encoding is the text encoding of a checksum.
type Encoding string

// The encodings. "" means Hex.
const (
	Hex    Encoding = "hex"
	Base64 Encoding = "base64"
)

// Args are the arguments of hash. Exactly one of Text, Data and FilePath must be set.
type Args struct {
	// Algorithm is the algorithm of the checksum; "" means SHA256.
	Algorithm Algorithm `json:"algorithm"`
	// Text is a string whose UTF-8 bytes are hashed.
	Text *string `json:"text"`
	// Data are the bytes to hash, in standard or URL-safe Base64, with or without padding.
	Data *string `json:"base64"`
	// FilePath is relative to the workspace or absolute under /workspace.
	FilePath *string `json:"file_path"`
	// Encoding is the encoding of the checksum.
	Encoding Encoding `json:"encoding"`
	// Expected is a checksum to compare with, in the same encoding.
	Expected string `json:"expected"`
}

// algorithms are all supported algorithms.
var algorithms = map[Algorithm]func() gohash.Hash{
	"crc32":    func() gohash.Hash { return crc32.NewIEEE() },
	"md5":      md5.New,
	"sha1":     sha1.New,
	"sha224":   sha256.New224,
	SHA256:     sha256.New,
	"sha384":   sha512.New384,
	"sha512":   sha512.New,
	"sha3-256": func() gohash.Hash { return sha3.New256() },
	"sha3-512": func() gohash.Hash { return sha3.New512() },
}

// Algorithms returns the names of all algorithms in alphabetical order.
func Algorithms() []string { return toolabi.Operations(algorithms) }

// Announce returns what to show while the call runs.
func (a Args) Announce() (title string, metadata map[string]any) { return "Computing a checksum", nil }

// Run writes to out the checksum of a text, of bytes or of a file of fsys. If Expected is set, a
// second line says whether the checksum matches. The message of an error is written for a model.
func Run(fsys fs.FS, args Args, out io.Writer) error {
	if args.Algorithm == "" {
		args.Algorithm = SHA256
	}
	newHash, ok := algorithms[args.Algorithm]
	if !ok {
		return fmt.Errorf(`the argument "algorithm" is %.80q; it must be one of %s`, args.Algorithm, strings.Join(Algorithms(), ", "))
	}
	if args.Encoding != "" && args.Encoding != Hex && args.Encoding != Base64 {
		return fmt.Errorf(`the argument "encoding" is %.80q; it must be hex or base64`, args.Encoding)
	}
	h := newHash()
	if err := feed(h, fsys, args); err != nil {
		return err
	}
	sum := args.Encoding.encode(h.Sum(nil))
	if args.Expected != "" {
		sum += "\n" + args.verdict(sum)
	}
	_, err := io.WriteString(out, sum)
	return err
}

func (e Encoding) encode(sum []byte) string {
	if e == Base64 {
		return base64.StdEncoding.EncodeToString(sum)
	}
	return hex.EncodeToString(sum)
}

// verdict says whether the checksum sum matches Expected.
func (a Args) verdict(sum string) string {
	expected := strings.TrimSpace(a.Expected)
	switch {
	case expected == sum, a.Encoding != Base64 && strings.EqualFold(expected, sum):
		return "matches"
	case len(expected) != len(sum):
		return fmt.Sprintf("differs: the expected checksum has %s, but a checksum of %s has %d; check the algorithm", toolabi.Quantity(len(expected), "character"), a.Algorithm, len(sum))
	default:
		return "differs from the expected checksum"
	}
}

// feed writes the bytes that are hashed to h.
func feed(h io.Writer, fsys fs.FS, args Args) error {
	given := 0
	for _, source := range []*string{args.Text, args.Data, args.FilePath} {
		if source != nil {
			given++
		}
	}
	var err error
	switch {
	case given != 1:
		return errors.New("give exactly one of text, base64 and file_path")
	case args.Text != nil:
		_, err = io.WriteString(h, *args.Text)
	case args.Data != nil:
		err = feedBase64(h, *args.Data)
	default:
		err = feedFile(h, fsys, *args.FilePath)
	}
	return err
}

func feedBase64(h io.Writer, data string) error {
	content, err := toolabi.DecodeBase64(data)
	if err != nil {
		return fmt.Errorf("base64 is invalid: %w", err)
	}
	_, err = h.Write(content)
	return err
}

func feedFile(h io.Writer, fsys fs.FS, path string) error {
	const param = "file_path"
	name, f, err := workspace.OpenFile(fsys, param, path)
	if err != nil {
		return err
	}
	defer f.Close()
	n, err := io.Copy(h, io.LimitReader(f, MaxFile+1))
	if err != nil {
		return workspace.Explain(fsys, param, name, err)
	}
	if n > MaxFile {
		return fmt.Errorf("%s: %s is larger than the limit of %d bytes", param, workspace.Display(name), MaxFile)
	}
	return nil
}
