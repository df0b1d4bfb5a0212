package manifests

import (
	"crypto/sha256"
	"encoding/hex"

	"github.com/wasmtool/wasmtool/internal/stricttoml"
)

// Decode reads a manifest from bytes and checks it. It opens no file, so it does not check the
// module. If the manifest names a parameters_file, Decode leaves Manifest.Parameters nil, and
// checks neither the placeholders nor the warm-up. file is the name of the manifest in errors.
//
// A non-nil error is an [Errors] with every error of the manifest, or with one error when the
// data is not TOML. Decode is safe for concurrent use.
func Decode(file string, data []byte) (*Manifest, error) {
	c, m := check(file, data)
	if err := c.Err(); err != nil {
		return nil, err
	}
	return m, nil
}

// Schema returns the JSON Schema of a manifest, for editors. describe returns the description of a
// key, such as "permissions.fs.mode", or "".
func Schema(describe func(key string) string) map[string]any {
	return stricttoml.Schema("A manifest: tool.toml", formatKeys(), describe)
}

// sha256Hex returns the SHA-256 of the concatenated parts in hexadecimal.
func sha256Hex(parts ...[]byte) string {
	h := sha256.New()
	for _, part := range parts {
		h.Write(part)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// check reads a manifest, and returns the checker with all errors. m is valid only if there are no
// errors, and nil if the keys were not read.
func check(file string, data []byte) (c *checker, m *Manifest) {
	c = newChecker(file, data)
	root := c.Root()
	if format := root.Get("manifest"); format != nil && format.Kind == stricttoml.KindInteger {
		if number, _ := stricttoml.Number(format.Text); number != "1" {
			// The other keys of an unknown format cannot be checked.
			c.Errorf(c.At("manifest"), "unknown format %s; this program reads manifest = 1", number)
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

// Error is one error in a manifest:
//   - File is the caller's name for the manifest. This package never makes it an absolute path.
//   - Line and Column are the place of the error, from 1. Column counts characters (Unicode code
//     points; a tab is one). Both are 0 for an error of the whole file, such as a missing key.
//   - Key is the dotted path of the wrong key, such as "permissions.fs[0].mode", or "" when the
//     error is not about one key.
//   - Message says what is wrong and how to fix it.
//
// The method Error joins them as "file:line:column: key: message".
type Error = stricttoml.Error

// Errors are all errors in one manifest, in the order of the file. Errors of the whole file come
// first. An Errors that is returned as an error is never empty, and errors.As finds an *Error in
// it.
type Errors = stricttoml.Errors
