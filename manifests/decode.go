package manifests

import (
	"crypto/sha256"
	"encoding/hex"

	"github.com/wasmtool/wasmtool/internal/stricttoml"
)

// Decode checks the bytes of a manifest. It reads no file: the module is not
// looked at, and a parameters_file leaves Manifest.Parameters nil, and the
// placeholders and the warm-up unchecked. file is the name of the manifest in errors.
//
// A non-nil error is an Errors with every fault of the manifest; one that is not
// TOML at all has one fault. Decode is safe for concurrent use.
func Decode(file string, data []byte) (*Manifest, error) {
	c, m := check(file, data)
	if err := c.Err(); err != nil {
		return nil, err
	}
	return m, nil
}

// sha256Hex is the SHA-256 of texts in hexadecimal.
func sha256Hex(texts ...[]byte) string {
	h := sha256.New()
	for _, text := range texts {
		h.Write(text)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// check reads a manifest and returns the checker with all faults found. m is usable
// only when there are none, and nil when the keys were not read.
func check(file string, data []byte) (c *checker, m *Manifest) {
	c = newChecker(file, data)
	root := c.Root()
	if format := root.Get("manifest"); format != nil && format.Kind == stricttoml.KindInteger {
		if number, _ := stricttoml.Number(format.Text); number != "1" {
			// What the other keys of another format mean is not known here.
			c.Errorf(c.At("manifest"), "format %s is not known; this program reads manifest = 1", number)
			return c, nil
		}
	}
	if root == nil {
		return c, nil
	}
	m = &Manifest{
		Timeout: DefaultTimeout,
		Limits:  Limits{Memory: DefaultMemory, Output: DefaultOutput, OpenFiles: DefaultOpenFiles, HTTPRequests: DefaultHTTPRequests},
		Digest:  sha256Hex(data),
	}
	c.Read(c.keys(m))
	c.relations(m)
	return c, m
}

// Error is one fault of a manifest. File is the manifest as the caller named it, never
// an absolute host path of this package's making. Line and Column are where the fault
// is, from 1; Column counts characters (Unicode code points; a tab is one). Both are 0
// for a fault of the whole file, such as a missing key. Key is the dotted path of the
// key at fault, such as "permissions.fs[0].mode", or "" when no key is. Message says
// what is wrong and how to mend it. Error joins them as "file:line:column: key: message".
type Error = stricttoml.Error

// Errors is every fault of one manifest in the order of the file, those of the
// whole file first. It is never empty where it is returned as an error; errors.As
// finds an *Error in it.
type Errors = stricttoml.Errors
