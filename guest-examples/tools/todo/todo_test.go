package todo

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/wasmtool/wasmtool/guest-examples/internal/record"
)

var day = time.Date(2026, 1, 31, 15, 0, 0, 0, time.UTC)

func do(t *testing.T, session string, args Args) string {
	t.Helper()
	return doAt(t, record.Host(), session, day, args)
}

func doAt(t *testing.T, store record.Store, session string, now time.Time, args Args) string {
	t.Helper()
	result, err := Run(store, session, now, args)
	if err != nil {
		return "error: " + err.Error()
	}
	return result.Content[0].Text
}

func TestRun(t *testing.T) {
	s := t.Name()
	for _, step := range []struct {
		args Args
		want string
	}{
		{Args{}, "The list is empty"},
		{Args{Todos: []Item{{Content: "look"}, {Content: "change", Status: InProgress, Priority: "high"}, {ID: "tests", Content: "test"}}}, "0 of 3 items done\n[ ] 1. look\n[>] 2. change (high)\n[ ] tests. test"},
		{Args{Action: ActionUpdate, ID: "1", Status: Completed}, "1 of 3 items done\n[x] 1. look\n[>] 2. change (high)\n[ ] tests. test"},
		{Args{Action: ActionAdd, Content: "tell\nall", Status: InProgress}, "1 of 4 items done\n[x] 1. look\n[>] 2. change (high)\n[ ] tests. test\n[>] 3. tell\n    all\n2 items are in_progress: finish one before the next"},
		{Args{Action: ActionUpdate, ID: "2", Status: Cancelled, Content: "change nothing"}, "1 of 3 items done\n[x] 1. look\n[-] 2. change nothing (high)\n[ ] tests. test\n[>] 3. tell\n    all"},
		{Args{Action: ActionRemove, ID: "tests"}, "1 of 2 items done\n[x] 1. look\n[-] 2. change nothing (high)\n[>] 3. tell\n    all"},
		{Args{Action: ActionRemove, ID: "9"}, `error: no item has the id "9"; use read to list the 3 items of this session`},
		{Args{Action: ActionUpdate}, "error: the argument \"id\" is missing; give the id of the item"},
		{Args{Action: ActionUpdate, ID: "1"}, "error: the action update has nothing to change; give content, status or priority"},
		{Args{Action: ActionAdd}, "error: the content is empty; describe the task"},
		{Args{Todos: []Item{{ID: "a", Content: "x"}, {ID: "a", Content: "y"}}}, `error: todos[1]: the id "a" is not unique; give each item another id`},
		{Args{Todos: []Item{{Content: strings.Repeat("é", MaxContent+1)}}}, "error: todos[0]: the content has 1001 characters; the limit is 1000, so put the rest into a file or a spec"},
		{Args{Todos: []Item{{ID: strings.Repeat("é", MaxID+1), Content: "x"}}}, "error: todos[0]: the id has 101 characters; the limit is 100, so use a shorter id"},
		{Args{Todos: []Item{{ID: "1\n[x] 2", Content: "x"}}}, "error: todos[0]: the id has a line feed or another control character; omit id to get a number"},
		// Errors do not change the list.
		{Args{}, "1 of 2 items done\n[x] 1. look\n[-] 2. change nothing (high)\n[>] 3. tell\n    all"},
		{Args{Todos: []Item{{ID: "4", Content: "x"}, {Content: "y"}}}, "0 of 2 items done\n[ ] 4. x\n[ ] 5. y"},
		{Args{Todos: []Item{}}, "The list is empty"},
	} {
		if got := do(t, s, step.args); got != step.want {
			t.Errorf("%+v: got %q, want %q", step.args, got, step.want)
		}
	}
}

func TestSessionsHaveSeparateLists(t *testing.T) {
	long := strings.Repeat("s", 10000)
	for _, session := range []string{"", "a", "session:", long, long + "x", "\xff"} {
		do(t, session, Args{Todos: []Item{{Content: "of " + fmt.Sprint(len(session))}}})
	}
	for _, session := range []string{"", "a", "session:", long, long + "x", "\xff"} {
		if got, want := do(t, session, Args{}), "of "+fmt.Sprint(len(session)); !strings.HasSuffix(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// No item is lost when a hundred calls add items concurrently.
func TestConcurrentAddsLoseNothing(t *testing.T) {
	s := t.Name()
	var wait sync.WaitGroup
	for n := range 100 {
		wait.Go(func() { do(t, s, Args{Action: ActionAdd, Content: fmt.Sprint("item ", n)}) })
	}
	wait.Wait()
	if got := do(t, s, Args{}); !strings.HasPrefix(got, "0 of 100 items done") {
		t.Errorf("got %q", got)
	}
}

func TestBounds(t *testing.T) {
	items := make([]Item, MaxItems+1)
	for n := range items {
		items[n] = Item{Content: "x"}
	}
	if got := do(t, t.Name(), Args{Todos: items}); got != "error: todos[200]: the list already has 200 items, which is the limit; remove those that are done" {
		t.Errorf("got %q", got)
	}
	long := make([]Item, 100)
	for n := range long {
		long[n] = Item{Content: strings.Repeat("日", 200)}
	}
	do(t, t.Name(), Args{Todos: long})
	last := Args{Action: ActionAdd, Content: strings.Repeat("日", MaxContent)}
	do(t, t.Name(), last)
	if got := do(t, t.Name(), last); got != "error: the list would have 66198 bytes of text; the limit is 65536, so shorten items or remove those that are done" {
		t.Errorf("got %q", got)
	}
	if got := do(t, t.Name(), Args{}); !strings.HasPrefix(got, "0 of 101 items done") {
		t.Errorf("after a list that did not fit: %.40q", got)
	}
}

// apart returns an empty store that no other test uses.
func apart(t *testing.T) record.Store {
	host, prefix := record.Host(), t.Name()+"/"
	return record.Store{
		Get:  func(key string) ([]byte, error) { return host.Get(prefix + key) },
		Swap: func(key string, old, value []byte) (bool, error) { return host.Swap(prefix+key, old, value) },
		List: func(start, after string) ([]string, error) {
			keys, err := host.List(prefix+start, prefix+after)
			for i := range keys {
				keys[i] = strings.TrimPrefix(keys[i], prefix)
			}
			return keys, err
		},
	}
}

// Each new list deletes some of the old lists, and only old lists.
func TestOldListsAreDeleted(t *testing.T) {
	const n = 50
	store := apart(t)
	count := func() int {
		keys, err := store.List("", "")
		if err != nil {
			t.Fatal(err)
		}
		return len(keys)
	}
	name := func(kind string, i int) string { return fmt.Sprintf("%s %02d", kind, i) }
	write := Args{Todos: []Item{{Content: "x"}}}
	for i := range n {
		doAt(t, store, name("old", i), day, write)
		doAt(t, store, name("used", i), day, write)
		doAt(t, store, name("used", i), day.Add(time.Second), Args{Action: ActionAdd, Content: "y"})
	}
	later := day.Add(MaxIdle + time.Second)
	doAt(t, store, name("old", 0), later, Args{}) // reading does not change the time of a list
	doAt(t, store, name("used", 0), later, Args{Action: ActionAdd, Content: "z"})
	if got := count(); got != 2*n {
		t.Errorf("there are %d lists before one is created", got)
	}
	doAt(t, store, name("new", 0), later, write)
	if got := count(); got != 2*n+1-maxChecked {
		t.Errorf("there are %d lists after one was created", got)
	}
	for i := 1; i < n; i++ {
		doAt(t, store, name("new", i), later, write)
	}
	if got := count(); got != 2*n {
		t.Errorf("there are %d lists, want the %d that were changed and the %d new ones", got, n, n)
	}
	for i := range n {
		if got := doAt(t, store, name("used", i), later, Args{}); !strings.Contains(got, "y") {
			t.Errorf("%d: got %q", i, got)
		}
		if got := doAt(t, store, name("old", i), later, Args{}); got != "The list is empty" {
			t.Errorf("%d: got %q", i, got)
		}
	}
}

// An error from an old list does not make the creation of a new list fail.
func TestErrorsOfOldListsAreIgnored(t *testing.T) {
	store := apart(t)
	store.List = func(string, string) ([]string, error) { return nil, errors.New("broken") }
	if got := doAt(t, store, "new", day, Args{Action: ActionAdd, Content: "x"}); got != "0 of 1 item done\n[ ] 1. x" {
		t.Errorf("got %q", got)
	}
	if _, err := store.Swap("other", nil, []byte("no list")); err != nil {
		t.Fatal(err)
	}
	store.List = func(string, string) ([]string, error) { return []string{"other"}, nil }
	if got := doAt(t, store, "newer", day, Args{Action: ActionAdd, Content: "x"}); got != "0 of 1 item done\n[ ] 1. x" {
		t.Errorf("got %q", got)
	}
}
