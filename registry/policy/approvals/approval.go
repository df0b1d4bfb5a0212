package approvals

import (
	"errors"
	"fmt"
	"time"
	"unicode/utf8"

	"github.com/wasmtool/wasmtool/internal/recordfile"
)

// Scope says for how long a yes is good.
type Scope string

// The scopes. A yes for once is good for the call that it was asked for and is
// remembered by nobody, so it has no place in a Store.
const (
	ScopeOnce    Scope = "once"
	ScopeSession Scope = "session"
	ScopeAlways  Scope = "always"
)

// Bounds on an Approval.
const (
	maxNameBytes  = 256
	maxGrantWords = 256
	maxWordBytes  = 2048
)

// Approval is a remembered yes.
type Approval struct {
	// ID names the approval; a Store sets it. The same yes has the same ID.
	ID string `json:"id"`
	// Tenant is whose yes it is; "" is the single tenant of a terminal.
	Tenant string `json:"tenant,omitempty"`
	// Tool is the tool's name, for people only.
	Tool string `json:"tool"`
	// Key is what the yes is bound to.
	Key Key `json:"key"`
	// AnyArguments tells that the question was about any arguments, so that
	// Key.Arguments does not count.
	AnyArguments bool `json:"any_arguments,omitempty"`
	// Pattern is that of NewPatternKey, for people only; empty where the Key is of
	// arguments.
	Pattern string `json:"pattern,omitempty"`
	// Grant is the words of the grant, for people only.
	Grant []string `json:"grant_words,omitempty"`
	// Scope is ScopeSession or ScopeAlways.
	Scope Scope `json:"scope"`
	// Session is the session of ScopeSession, and empty for ScopeAlways.
	Session string `json:"session,omitempty"`
	// Created is when the yes was given; a Store sets it.
	Created time.Time `json:"created"`
	// Expires is when the yes ends. Zero means never for ScopeAlways; for
	// ScopeSession a Store sets its default.
	Expires time.Time `json:"expires,omitzero"`
}

// Query asks for a yes that is good for a call.
type Query struct {
	Tenant, Session string
	Key             Key
}

// covers reports whether the approval is good for a call.
func (a Approval) covers(q Query, now time.Time) bool {
	return a.Tenant == q.Tenant &&
		q.Key.Digest != "" && a.Key.Digest == q.Key.Digest && a.Key.Grant == q.Key.Grant &&
		(a.AnyArguments || a.Key.Arguments == q.Key.Arguments) &&
		(a.Scope == ScopeAlways || a.Session == q.Session) &&
		!a.expired(now)
}

func (a Approval) expired(now time.Time) bool { return !a.Expires.IsZero() && !now.Before(a.Expires) }

// identify returns the ID: what makes the same yes the same.
func (a Approval) identify() string {
	arguments := a.Key.Arguments
	if a.AnyArguments {
		arguments = "any"
	}
	return recordfile.Hash(a.Tenant, string(a.Scope), a.Session, a.Key.Digest, arguments, a.Key.Grant)[:16]
}

// validate says what is wrong with an approval that is to be remembered, or was.
func (a Approval) validate() error {
	switch {
	case a.Scope != ScopeSession && a.Scope != ScopeAlways:
		return fmt.Errorf("the scope %q is not remembered; it is session or always", a.Scope)
	case a.Scope == ScopeSession && a.Session == "":
		return errors.New("the scope session needs a session")
	case a.Scope == ScopeAlways && a.Session != "":
		return errors.New("the scope always has no session")
	case a.Key.Digest == "":
		return errors.New("the tool's digest is missing")
	case !isHash(a.Key.Arguments), !isHash(a.Key.Grant):
		return errors.New("the key's hashes are not SHA-256; make it with NewKey")
	case a.Tool == "":
		return errors.New("the tool's name is missing")
	case len(a.Grant) > maxGrantWords:
		return fmt.Errorf("the grant has more than %d words", maxGrantWords)
	case !a.Expires.IsZero() && !a.Expires.After(a.Created):
		return errors.New("it would end before it begins")
	}
	for _, text := range []string{a.Tenant, a.Tool, a.Session, a.Key.Digest, a.Pattern} {
		if len(text) > maxNameBytes || !utf8.ValidString(text) {
			return fmt.Errorf("tenant, tool, session, digest and pattern are UTF-8 of at most %d bytes", maxNameBytes)
		}
	}
	for _, word := range a.Grant {
		if len(word) > maxWordBytes || !utf8.ValidString(word) {
			return fmt.Errorf("the words of the grant are UTF-8 of at most %d bytes", maxWordBytes)
		}
	}
	return nil
}
