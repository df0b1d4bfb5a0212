// Package remembered keeps what the operator decided for later calls.
//
// An approval is a yes to a question. It is good for one tenant and for exactly the tool (by
// its digest), the grant and the arguments that were shown when it was given, unless the
// question said that any arguments are meant. If the tool changes by a byte or its grant by a
// word, the question is asked again.
//
// A grant is what the operator gave to one tool of one tenant, bound to the digest that the
// tool had then: a tool whose manifest or module changed by a byte has none.
//
// Both come from the operator alone; no model, manifest or file of a workspace reaches them.
// In doubt, such as when a file cannot be read, there is an error, no approval and no grant.
//
// [Files] keeps both in a directory that is the operator's alone: a file of JSON lines for
// each, replaced as a whole. One line that is not understood spoils its file, since what it
// was cannot be known.
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

// DefaultSessionLifetime is how long an approval for a session is good at most.
const DefaultSessionLifetime = 24 * time.Hour

// Options configure Files or approvals in memory. The zero value is complete.
type Options struct {
	// SessionLifetime bounds approvals of ScopeSession that name no end; 0 or less
	// means DefaultSessionLifetime.
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

// Files are the approvals and grants in a directory of the operator's. A file is read each
// time, so what another process remembers or revokes counts at once. Writing locks out other
// processes and replaces the file as a whole. Files are safe for concurrent use; Close them
// when done.
type Files struct {
	Approvals *Approvals
	Grants    *Grants

	root *os.Root
}

// Open opens the files in a directory, which it creates for the operator alone where there is
// none; a file is made with its first record. On systems with Unix permissions a directory or
// file that belongs to another user, or that others may write or read, gives an *UnsafeError.
// No error names the directory.
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

// Close frees the directory. Later use gives errors.
func (f *Files) Close() error { return f.root.Close() }

// record is an Approval or a Grant.
type record[T any] interface {
	head() head
	// identify returns what makes a record the same as another.
	identify() string
	// validate says what is wrong with a record that is to be remembered, or was.
	validate() error
	expired(now time.Time) bool
	// forDisplay returns the record with texts that are safe to print.
	forDisplay() T
}

// head is what every record has.
type head struct {
	tenant, id string
	created    time.Time
}

// check says what is wrong with a record as it is written.
func check[T record[T]](r T) error {
	if err := r.validate(); err != nil {
		return err
	}
	if h := r.head(); h.created.IsZero() || h.id != r.identify() {
		return errors.New("its ID or time is not the one that was written")
	}
	return nil
}

// Bounds on the texts of a record.
const (
	maxNameBytes = 256
	maxWordBytes = 2048
	maxWords     = 256
)

// checkTexts refuses texts that are too long to keep or that cannot be written.
func checkTexts(what string, limit int, texts ...string) error {
	for _, text := range texts {
		if len(text) > limit || !utf8.ValidString(text) {
			return fmt.Errorf("%s are UTF-8 of at most %d bytes", what, limit)
		}
	}
	return nil
}

// hashTexts is the SHA-256 of texts with their lengths, in hexadecimal, so that no two lists
// run together.
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
