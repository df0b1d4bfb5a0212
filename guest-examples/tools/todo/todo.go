// Package todo implements the built-in tool todo, the to-do list of a session.
package todo

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/wasmtool/wasmtool/guest"
	"github.com/wasmtool/wasmtool/guest-examples/internal/record"
	"github.com/wasmtool/wasmtool/guest-examples/internal/toolabi"
)

// Limits on the size of a list, so that it can be shown as a whole.
const (
	MaxItems   = 200
	MaxContent = 1000     // characters
	MaxID      = 100      // characters
	MaxList    = 64 << 10 // total length of all contents and IDs, in bytes
)

// The actions.
const (
	ActionRead   = "read"
	ActionWrite  = "write"
	ActionAdd    = "add"
	ActionUpdate = "update"
	ActionRemove = "remove"
)

// The possible states of an item.
const (
	Pending    = "pending"
	InProgress = "in_progress"
	Completed  = "completed"
	Cancelled  = "cancelled"
)

// Args are the arguments of todo.
type Args struct {
	// Action is the action. "" means write if Todos is set, otherwise read.
	Action string `json:"action"`
	// Todos is the whole list, for write.
	Todos []Item `json:"todos"`
	// ID is the ID of an item, for update and remove.
	ID string `json:"id"`
	// Content, Status and Priority are the fields of an item, for add and update. In an update, ""
	// keeps the old value.
	Content  string `json:"content"`
	Status   string `json:"status"`
	Priority string `json:"priority"`
}

// Item is one task.
type Item struct {
	ID       string `json:"id,omitempty"`
	Content  string `json:"content"`
	Status   string `json:"status,omitempty"`
	Priority string `json:"priority,omitempty"`
}

// list is the stored list of a session.
type list struct {
	Next    int    `json:"next"` // the number for the next item
	Items   []Item `json:"items"`
	Changed int64  `json:"changed,omitempty"` // seconds since 1970; 0 for a new list
}

// Run performs the action on the list of a session. The message of an error is written for a model.
// After an error the list is unchanged. Creating a list may delete lists older than MaxIdle. now is
// the current time.
func Run(store record.Store, session string, now time.Time, args Args) (guest.Result, error) {
	key := keyOf(session)
	action := args.Action
	if action == "" {
		action = ActionRead
		if args.Todos != nil {
			action = ActionWrite
		}
	}
	var l list
	var err error
	if action == ActionRead {
		l, err = record.Read[list](store, key)
	} else {
		l, err = record.Change(store, key, func(l *list) error {
			if err := l.change(action, args); err != nil {
				return err
			}
			if l.Changed == 0 {
				forget(store, key, now)
			}
			l.Changed = now.Unix()
			return l.fits()
		})
	}
	if err != nil {
		return guest.Result{}, err
	}
	return l.show(), nil
}

// maxKeyed is the maximum length of a session name that is used as the key. For a longer name, the
// key is a hash.
const maxKeyed = 200

func keyOf(session string) string {
	if len(session) > maxKeyed || !utf8.ValidString(session) {
		sum := sha256.Sum256([]byte(session))
		return "hash:" + hex.EncodeToString(sum[:])
	}
	return "session:" + session
}

func (l *list) change(action string, args Args) error {
	switch action {
	case ActionWrite:
		return l.replace(args.Todos)
	case ActionAdd:
		return l.add(Item{Content: args.Content, Status: args.Status, Priority: args.Priority})
	}
	at, err := l.find(args.ID)
	if err != nil {
		return err
	}
	if action == ActionRemove {
		l.Items = slices.Delete(l.Items, at, at+1)
		return nil
	}
	item := l.Items[at]
	if args.Content == "" && args.Status == "" && args.Priority == "" {
		return errors.New("the action update has nothing to change; give content, status or priority")
	}
	if args.Content != "" {
		item.Content = args.Content
	}
	if args.Status != "" {
		item.Status = args.Status
	}
	if args.Priority != "" {
		item.Priority = args.Priority
	}
	l.Items[at] = item
	return item.check()
}

// replace replaces all items. An item without an ID gets an ID.
func (l *list) replace(items []Item) error {
	l.Items = nil
	for n, item := range items {
		if item.ID != "" && slices.ContainsFunc(l.Items, func(other Item) bool { return other.ID == item.ID }) {
			return fmt.Errorf("todos[%d]: the id %q is not unique; give each item another id", n, item.ID)
		}
		if err := l.add(item); err != nil {
			return fmt.Errorf("todos[%d]: %w", n, err)
		}
	}
	return nil
}

func (l *list) add(item Item) error {
	if item.Status == "" {
		item.Status = Pending
	}
	if err := item.check(); err != nil {
		return err
	}
	if len(l.Items) >= MaxItems {
		return fmt.Errorf("the list already has %d items, which is the limit; remove those that are done", len(l.Items))
	}
	for item.ID == "" || !l.free(item.ID) {
		l.Next++
		item.ID = fmt.Sprint(l.Next)
	}
	l.Items = append(l.Items, item)
	return nil
}

// fits returns an error if the list is too large to be shown completely.
func (l *list) fits() error {
	size := 0
	for _, item := range l.Items {
		size += len(item.Content) + len(item.ID)
	}
	if size > MaxList {
		return fmt.Errorf("the list would have %d bytes of text; the limit is %d, so shorten items or remove those that are done", size, MaxList)
	}
	return nil
}

func (l *list) free(id string) bool {
	return !slices.ContainsFunc(l.Items, func(other Item) bool { return other.ID == id })
}

func (l *list) find(id string) (int, error) {
	if id == "" {
		return 0, errors.New(`the argument "id" is missing; give the id of the item`)
	}
	at := slices.IndexFunc(l.Items, func(item Item) bool { return item.ID == id })
	if at < 0 {
		return 0, fmt.Errorf("no item has the id %q; use read to list the %d items of this session", id, len(l.Items))
	}
	return at, nil
}

func (i Item) check() error {
	if strings.TrimSpace(i.Content) == "" {
		return errors.New("the content is empty; describe the task")
	}
	if n := utf8.RuneCountInString(i.Content); n > MaxContent {
		return fmt.Errorf("the content has %d characters; the limit is %d, so put the rest into a file or a spec", n, MaxContent)
	}
	if n := utf8.RuneCountInString(i.ID); n > MaxID {
		return fmt.Errorf("the id has %d characters; the limit is %d, so use a shorter id", n, MaxID)
	}
	if strings.ContainsFunc(i.ID, unicode.IsControl) {
		return errors.New("the id has a line feed or another control character; omit id to get a number")
	}
	return nil
}

// marks are the marks that are shown before items, by status.
var marks = map[string]string{Pending: "[ ]", InProgress: "[>]", Completed: "[x]", Cancelled: "[-]"}

func (l list) show() guest.Result {
	count := map[string]int{}
	var text strings.Builder
	for _, item := range l.Items {
		count[item.Status]++
		content := strings.ReplaceAll(item.Content, "\n", "\n    ")
		fmt.Fprintf(&text, "%s %s. %s", marks[item.Status], item.ID, content)
		if item.Priority != "" {
			fmt.Fprintf(&text, " (%s)", item.Priority)
		}
		text.WriteString("\n")
	}
	title := fmt.Sprintf("%d of %s done", count[Completed], toolabi.Quantity(len(l.Items)-count[Cancelled], "item"))
	if len(l.Items) == 0 {
		title = "The list is empty"
	}
	if count[InProgress] > 1 {
		fmt.Fprintf(&text, "%d items are in_progress: finish one before the next\n", count[InProgress])
	}
	return guest.Result{
		Content: []guest.Content{guest.Text(strings.TrimSuffix(title+"\n"+text.String(), "\n"))}, Title: title,
		Structured: map[string]any{"todos": append([]Item{}, l.Items...)},
	}
}
