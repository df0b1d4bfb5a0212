package manifests

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
)

// Decode checks the bytes of a manifest. It reads no file: the module is not
// looked at, and a parameters_file leaves Manifest.Parameters nil, and the
// placeholders and the warm-up unchecked. file is the name of the manifest in errors.
//
// A non-nil error is an Errors with every fault of the manifest; one that is not
// TOML at all has one fault. Decode is safe for concurrent use.
func Decode(file string, data []byte) (*Manifest, error) {
	c, m := check(file, data)
	if err := c.err(); err != nil {
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

// check reads a manifest into m and returns the checker with all faults found.
// m is usable only when there are none, and the checker's root is nil when the
// keys were not read.
func check(file string, data []byte) (c *checker, m *Manifest) {
	c = &checker{file: file}
	if len(data) > MaxManifestBytes {
		c.fault(place{offset: wholeFile}, "larger than %s, the ceiling of a manifest; move a large schema to a parameters_file", formatSize(MaxManifestBytes))
		return c, nil
	}
	c.doc = newDocument(data)
	root, err := parse(c.doc)
	if err != nil {
		var fault *syntaxError
		errors.As(err, &fault)
		c.fault(place{offset: fault.offset}, "%s", fault.message)
		return c, nil
	}
	if format := root.get("manifest"); format != nil && format.kind == kindInteger {
		if number, _ := jsonNumber(format.text); number != "1" {
			// What the other keys of another format mean is not known here.
			c.fault(place{"manifest", format.offset}, "format %s is not known; this program reads manifest = 1", number)
			return c, nil
		}
	}
	c.root = root
	m = &Manifest{
		Timeout: DefaultTimeout,
		Limits:  Limits{Memory: DefaultMemory, Output: DefaultOutput, OpenFiles: DefaultOpenFiles},
		Digest:  sha256Hex(data),
	}
	c.table(place{offset: wholeFile}, root, c.keys(m))
	c.relations(m)
	return c, m
}
