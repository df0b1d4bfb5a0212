// Package remembered stores decisions of the operator for later calls.
//
// An approval answers a question about a call. It is valid for one tenant and for exactly the tool
// (by its digest), the grant and the arguments that the question showed. If the question was about
// calls with any arguments, the approval is valid for all arguments. If the tool or its grant
// changes, the question is asked again.
//
// A grant gives permissions to one tool of one tenant. It is bound to the digest of the tool: a
// tool whose manifest or module has changed does not have it.
//
// Both come only from the operator; no model, manifest or workspace file can write them. In
// doubt, for example when a file can't be read, the result is an error, not an approval or a
// grant.
//
// [Files] stores both in a directory that only the operator can access, one file of JSON lines
// each, which is always replaced as a whole. One invalid line makes its file unusable, because
// the line may have been a restriction.
package remembered

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"time"
	"unicode/utf8"
)

// DefaultSessionLifetime limits how long an approval for a session is valid.
const DefaultSessionLifetime = 24 * time.Hour

// Options configures Files or a Memory. The zero value is usable.
type Options struct {
	// SessionLifetime limits approvals of ScopeSession without an Expires; 0 or less means
	// DefaultSessionLifetime.
	SessionLifetime time.Duration
	// Now is the clock; nil means time.Now.
	Now func() time.Time
}

func (o Options) withDefaults() Options {
	o.SessionLifetime = cmp.Or(max(o.SessionLifetime, 0), DefaultSessionLifetime)
	if o.Now == nil {
		o.Now = time.Now
	}
	return o
}

// Files stores approvals and grants in the operator's directory. It reads a file on each use, so a
// change by another process takes effect at once. A write replaces the whole file, and other
// processes wait until it is done. Files is safe for concurrent use; close it when done.
type Files struct {
	Approvals *Approvals
	Grants    *Grants

	root *os.Root
}

// Open opens the files in a directory. It creates a missing directory so that only the operator can
// access it; a file is created with its first record. On Unix, Open returns an *UnsafeError if the
// directory or a file belongs to another user, or if other users may read or write it. No error
// contains the path of the directory.
func Open(dir string, o Options) (*Files, error) {
	root, err := openRoot(dir)
	if err != nil {
		return nil, err
	}
	o = o.withDefaults()
	approvals := &file[Approval]{root, kind[Approval]{name: "approvals", holds: "approved", check: check[Approval]}}
	grants := &file[Grant]{root, kind[Grant]{name: "grants", holds: "granted", check: check[Grant]}}
	return &Files{
		Approvals: &Approvals{table[Approval]{approvals, o.Now}, o.SessionLifetime},
		Grants:    &Grants{table[Grant]{grants, o.Now}},
		root:      root,
	}, nil
}

// Close closes the directory. Later calls return errors.
func (f *Files) Close() error { return f.root.Close() }

// record is an Approval or a Grant.
type record[T any] interface {
	head() head
	// identify sets the ID, which is the same for equal records.
	identify() string
	// validate returns what is wrong with a record that was read or is about to be stored.
	validate() error
	expired(now time.Time) bool
	// forDisplay returns the record with strings that are safe to print.
	forDisplay() T
}

// head is the part that all records share.
type head struct {
	tenant, id string
	created    time.Time
}

// check returns what is wrong with a stored record.
func check[T record[T]](r T) error {
	if err := r.validate(); err != nil {
		return err
	}
	if h := r.head(); h.created.IsZero() || h.id != r.identify() {
		return errors.New("its ID or time was changed after it was written")
	}
	return nil
}

// Limits on the strings of a record.
const (
	maxNameBytes = 256
	maxWordBytes = 2048
	maxWords     = 256
)

// checkTexts refuses strings that are too long or that cannot be written.
func checkTexts(what string, limit int, texts ...string) error {
	for _, text := range texts {
		if len(text) > limit || !utf8.ValidString(text) {
			return fmt.Errorf("%s must be UTF-8 of at most %d bytes", what, limit)
		}
	}
	return nil
}

// hashTexts returns the SHA-256 of strings with their lengths, in hexadecimal, so that different
// lists never have the same input.
func hashTexts(texts ...string) string {
	h := sha256.New()
	var length [8]byte
	for _, text := range texts {
		binary.BigEndian.PutUint64(length[:], uint64(len(text)))
		h.Write(length[:])
		h.Write([]byte(text))
	}
	return hex.EncodeToString(h.Sum(nil))
}
