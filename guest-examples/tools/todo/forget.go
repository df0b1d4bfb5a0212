package todo

import (
	"errors"
	"time"

	"github.com/wasmtool/wasmtool/guest-examples/internal/record"
)

// MaxIdle is the time for which the list of a session is kept after its last change. Older lists
// may be deleted when other sessions create lists.
const MaxIdle = 30 * 24 * time.Hour

// maxChecked limits the lists checked when a list is created. Checking ten causes no delay, and
// keeps the share of lists that are too old at about one in ten, if there are many lists.
const maxChecked = 10

var errKept = errors.New("the list is too recent to delete")

// forget deletes lists that are too old. It checks the lists whose keys follow key; after the last
// key it continues with the first. It ignores errors, because a later call can delete the list.
func forget(store record.Store, key string, now time.Time) {
	keys, err := store.List("", key)
	if err != nil {
		return
	}
	if len(keys) < maxChecked {
		first, err := store.List("", "")
		if err != nil {
			return
		}
		keys = append(keys, first...)
	}
	for _, other := range keys[:min(len(keys), maxChecked)] {
		// Remove checks again, because another call may have changed the list in the meantime.
		_ = record.Remove(store, other, func(l list) error {
			if l.Changed == 0 || now.Sub(time.Unix(l.Changed, 0)) <= MaxIdle {
				return errKept
			}
			return nil
		})
	}
}
