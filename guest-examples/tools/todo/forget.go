package todo

import (
	"errors"
	"time"

	"github.com/wasmtool/wasmtool/guest-examples/internal/record"
)

// MaxIdle is how long the list of a session is kept for certain after its last change. After
// that it goes when other sessions begin lists.
const MaxIdle = 30 * 24 * time.Hour

// looked is how many lists are looked at when one is begun: so few that nobody waits for it, and
// enough that of many lists about one in so many is too old.
const looked = 10

var errKept = errors.New("the list is kept")

// forget takes away the lists that are too old of those that follow key, from the last one on to
// the first. As nothing depends on it, what fails is left for another time.
func forget(store record.Store, key string, now time.Time) {
	keys, err := store.List("", key)
	if err != nil {
		return
	}
	if len(keys) < looked {
		first, err := store.List("", "")
		if err != nil {
			return
		}
		keys = append(keys, first...)
	}
	for _, other := range keys[:min(len(keys), looked)] {
		// A list that is changed at this moment is another one then, and is asked about anew.
		_ = record.Remove(store, other, func(l list) error {
			if l.Changed == 0 || now.Sub(time.Unix(l.Changed, 0)) <= MaxIdle {
				return errKept
			}
			return nil
		})
	}
}
