package remembered

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/wasmtool/wasmtool/internal/each"
	"github.com/wasmtool/wasmtool/internal/plaintext"
)

// Scope says how long an approval is valid.
type Scope string

// The scopes. An approval with ScopeOnce is valid only for the call that it was given for. An
// approval with ScopeScript is valid for calls of the same tool, with any arguments, that are made
// by the same run of the same script. No ApprovalStore ever gets these two.
const (
	ScopeOnce    Scope = "once"
	ScopeScript  Scope = "script"
	ScopeSession Scope = "session"
	ScopeAlways  Scope = "always"
)

// Key identifies what was approved. Two keys are equal if and only if tool, arguments and grant are
// equal. The zero value identifies nothing and is refused.
type Key struct {
	// Digest is the tool's digest, as computed by the host.
	Digest string `json:"digest"`
	// Arguments is the SHA-256 of the arguments in hexadecimal.
	Arguments string `json:"arguments"`
	// Grant is the SHA-256 of the permissions of the grant in hexadecimal.
	Grant string `json:"grant"`
}

// NewKey returns the key of a call: the tool's digest, the arguments as canonical JSON, and the
// permissions of the grant in any order. Equal arguments may have different keys if their notation
// differs; the approver is then asked again.
func NewKey(digest string, arguments []byte, grant []string) Key {
	words := slices.Clone(grant)
	slices.Sort(words)
	sum := sha256.Sum256(arguments)
	return Key{Digest: digest, Arguments: hex.EncodeToString(sum[:]), Grant: hashTexts(slices.Compact(words)...)}
}

// NewPatternKey returns the key of an approval for all commands that match a pattern, in place of
// arguments. It differs from every key that NewKey returns, because arguments are a JSON object.
func NewPatternKey(digest, pattern string, grant []string) Key {
	return NewKey(digest, []byte("pattern "+pattern), grant)
}

// Approval is a remembered approval.
type Approval struct {
	// ID identifies the approval; the store sets it. Equal approvals have the same ID.
	ID string `json:"id"`
	// Tenant is the tenant of the approval; "" is the single tenant of a terminal.
	Tenant string `json:"tenant,omitempty"`
	// Tool is the tool's name, for people only.
	Tool string `json:"tool"`
	// Key is what was approved.
	Key Key `json:"key"`
	// AnyArguments says that the approval is for any arguments; Key.Arguments is then ignored.
	AnyArguments bool `json:"any_arguments,omitempty"`
	// Pattern is the pattern of NewPatternKey, for people only; empty if Key has arguments.
	Pattern string `json:"pattern,omitempty"`
	// Grant lists the permissions of the grant, for people only.
	Grant []string `json:"grant_words,omitempty"`
	// Scope is ScopeSession or ScopeAlways.
	Scope Scope `json:"scope"`
	// Session is the session of ScopeSession; empty for ScopeAlways.
	Session string `json:"session,omitempty"`
	// Created is when the approval was given; the store sets it.
	Created time.Time `json:"created"`
	// Expires is when the approval ends. Zero means never for ScopeAlways; for ScopeSession the
	// store sets its default.
	Expires time.Time `json:"expires,omitzero"`
}

// Query looks for an approval that is valid for a call.
type Query struct {
	Tenant, Session string
	Key             Key
}

// covers reports whether the approval is valid for a call.
func (a Approval) covers(q Query, now time.Time) bool {
	return a.Tenant == q.Tenant &&
		q.Key.Digest != "" && a.Key.Digest == q.Key.Digest && a.Key.Grant == q.Key.Grant &&
		(a.AnyArguments || a.Key.Arguments == q.Key.Arguments) &&
		(a.Scope == ScopeAlways || a.Session == q.Session) &&
		!a.expired(now)
}

func (a Approval) expired(now time.Time) bool { return !a.Expires.IsZero() && !now.Before(a.Expires) }

func (a Approval) identify() string {
	arguments := a.Key.Arguments
	if a.AnyArguments {
		arguments = "any"
	}
	return hashTexts(a.Tenant, string(a.Scope), a.Session, a.Key.Digest, arguments, a.Key.Grant)[:16]
}

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
	case len(a.Grant) > maxWords:
		return fmt.Errorf("the grant has more than %d permissions", maxWords)
	case !a.Expires.IsZero() && !a.Expires.After(a.Created):
		return errors.New("it would expire before it is created")
	}
	if err := checkTexts("tenant, tool, session, digest and pattern", maxNameBytes, a.Tenant, a.Tool, a.Session, a.Key.Digest, a.Pattern); err != nil {
		return err
	}
	return checkTexts("the permissions of the grant", maxWordBytes, a.Grant...)
}

func isHash(s string) bool {
	raw, err := hex.DecodeString(s)
	return err == nil && len(raw) == sha256.Size
}

func (a Approval) head() head { return head{a.Tenant, a.ID, a.Created} }

func (a Approval) forDisplay() Approval {
	a.Tenant, a.Tool, a.Session = plaintext.Visible(a.Tenant), plaintext.Visible(a.Tool), plaintext.Visible(a.Session)
	a.Pattern = plaintext.Visible(a.Pattern)
	a.Key.Digest = plaintext.Visible(a.Key.Digest)
	a.Grant = each.Of(a.Grant, plaintext.Visible)
	return a
}
