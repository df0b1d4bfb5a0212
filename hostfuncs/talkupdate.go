package hostfuncs

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"time"
	"unicode/utf8"
)

// Bounds of what a guest tells of its call.
const (
	// MaxUpdate is how many bytes of JSON one update has.
	MaxUpdate = 16 << 10
	// MaxUpdateTitle is how many bytes of a title are kept.
	MaxUpdateTitle = 256
	// MaxUpdates is how many updates are handed on in one second.
	MaxUpdates = 20
)

// Update hands on a title, metadata or both, as a JSON object. What is refused is a *Fault
// and has no effect, so that a guest does not take for told what nobody heard.
func (t *Talk) Update(text []byte) error {
	if len(text) > MaxUpdate {
		return newFault(FaultTooMuch, "too_large", "an update has at most %d bytes", MaxUpdate)
	}
	u, ok := readUpdate(text)
	if !ok {
		return errNoUpdate
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.l.Update == nil {
		return nil
	}
	now := time.Now()
	if now.Sub(t.updating) >= time.Second {
		t.updating, t.updates = now, 0
	}
	if t.updates >= MaxUpdates {
		return newFault(FaultTooMuch, "too_many", "at most %d updates are handed on in a second; try again later", MaxUpdates)
	}
	t.updates++
	if t.l.hide != nil {
		if hide := t.l.hide.scrubber(); hide != nil {
			clean, err := hide.JSON(context.Background(), text) // it is short
			if u, ok = readUpdate(clean); err != nil || !ok {
				return errNoUpdate
			}
		}
	}
	t.l.Update(legible([]byte(u.Title), MaxUpdateTitle), u.Metadata)
	return nil
}

// update is what a guest tells of its call.
type update struct {
	Title    string                     `json:"title"`
	Metadata map[string]json.RawMessage `json:"metadata"`
}

// errNoUpdate is the fault of an update that is none.
var errNoUpdate = newFault(FaultInvalid, "update", `an update is a JSON object such as {"title":"Reading","metadata":{"files":3}}`)

func readUpdate(text []byte) (update, bool) {
	var u *update // nil for null
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if !utf8.Valid(text) || d.Decode(&u) != nil || u == nil {
		return update{}, false
	}
	_, err := d.Token()
	return *u, err == io.EOF
}
