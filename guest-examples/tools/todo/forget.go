package todo

import (
	"errors"
	"time"

	"github.com/wasmtool/wasmtool/guest-examples/internal/record"
)

// MaxIdle is how long the list of a session is kept after its last change. When a session creates a
// list, lists that are older may be deleted.
const MaxIdle = 30 * 24 * time.Hour

// maxChecked limits how many lists are checked when a list is created. Checking ten lists takes
// little time. With many lists, it keeps the number of lists that are too old at about one in ten.
const maxChecked = 10

var errKept = errors.New("the list was changed too recently to be deleted")

// forget deletes lists that are too old. It checks the lists whose keys follow key. After the last
// key it continues with the first key. It ignores errors, because a later call can delete the list.
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
		// Check the time again, because another call may have changed the list since it was read.
		_ = record.Remove(store, other, func(l list) error {
			if l.Changed == 0 || now.Sub(time.Unix(l.Changed, 0)) <= MaxIdle {
				return errKept
			}
			return nil
		})
	}
}
