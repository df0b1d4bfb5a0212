// Package spec implements the built-in tool spec, which stores specifications of planned work.
package spec

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"unicode"

	"github.com/wasmtool/wasmtool/guest"
	"github.com/wasmtool/wasmtool/guest-examples/internal/record"
	"github.com/wasmtool/wasmtool/guest-examples/internal/toolabi"
)

// Limits on the stored specifications.
const (
	MaxPart  = 100_000 // bytes of a part
	MaxTitle = 200     // bytes
	MaxSpecs = 500
)

// The actions.
const (
	ActionList   = "list"
	ActionGet    = "get"
	ActionWrite  = "write"
	ActionStatus = "set_status"
	ActionDelete = "delete"
)

// The possible states of a specification.
const (
	Draft    = "draft"
	Approved = "approved"
	Done     = "done"
)

// Args are the arguments of spec.
type Args struct {
	Action string `json:"action"`
	// Name is the name of the specification.
	Name string `json:"name"`
	// Title is the new title, for write. People read the title. "" keeps the old title.
	Title string `json:"title"`
	// Part is the part that Text replaces, for write: requirements, design or tasks.
	Part string `json:"part"`
	Text string `json:"text"`
	// Status is the new status, for set_status.
	Status string `json:"status"`
	// Revision is the revision on which the change is based; 0 means any revision.
	Revision toolabi.Int `json:"revision"`
}

// document is a stored specification. A revision of 0 means that the specification does not exist.
type document struct {
	Name         string `json:"name"`
	Title        string `json:"title,omitempty"`
	Status       string `json:"status"`
	Revision     int64  `json:"revision"`
	Requirements string `json:"requirements,omitempty"`
	Design       string `json:"design,omitempty"`
	Tasks        string `json:"tasks,omitempty"`
}

const prefix = "spec:"

// namePattern restricts the names of specifications.
var namePattern = regexp.MustCompile(`^[a-z0-9][a-z0-9._-]{0,99}$`)

// Run performs the action. The message of an error is written for a model. After an error the store
// is unchanged.
func Run(store record.Store, args Args) (guest.Result, error) {
	if args.Action == ActionList {
		return list(store)
	}
	if !namePattern.MatchString(args.Name) {
		return guest.Result{}, fmt.Errorf("name: %q is invalid; use lower-case letters, digits, dots, hyphens and underscores, as in user-login", clip(args.Name))
	}
	key := prefix + args.Name
	switch args.Action {
	case ActionGet:
		d, err := record.Read[document](store, key)
		if err == nil {
			err = d.there(args.Name)
		}
		if err != nil {
			return guest.Result{}, err
		}
		return d.show(), nil
	case ActionDelete:
		err := record.Remove(store, key, func(d document) error {
			if err := d.there(args.Name); err != nil {
				return err
			}
			return d.at(args.Revision)
		})
		return message(fmt.Sprintf("%s is deleted", args.Name)), err
	}
	var before int64
	if args.Action == ActionWrite {
		if err := room(store, args.Name); err != nil {
			return guest.Result{}, err
		}
	}
	d, err := record.Change(store, key, func(d *document) error {
		before = d.Revision
		return d.change(args)
	})
	if err != nil {
		return guest.Result{}, err
	}
	return d.changed(before), nil
}

// room returns an error if the store is full and name is a new specification.
func room(store record.Store, name string) error {
	names, err := store.List(prefix, "")
	if err != nil {
		return fmt.Errorf("the store can't be read: %w", err)
	}
	if len(names) < MaxSpecs {
		return nil
	}
	for _, key := range names {
		if key == prefix+name {
			return nil
		}
	}
	return fmt.Errorf("the store already has %d specifications, which is the limit; delete some that are done", len(names))
}

func (d *document) there(name string) error {
	if d.Revision == 0 {
		return fmt.Errorf("specification %q does not exist; list shows all, and write creates one", name)
	}
	return nil
}

// at checks the revision: it returns an error if the revision is set and is not the current one.
func (d *document) at(revision toolabi.Int) error {
	if revision != 0 && int64(revision) != d.Revision {
		return fmt.Errorf("the specification is at revision %d, not %d, because it was changed after you read it; use get and repeat your change", d.Revision, revision)
	}
	return nil
}

func (d *document) change(args Args) error {
	if err := d.at(args.Revision); err != nil {
		return err
	}
	if args.Action == ActionStatus {
		if err := d.there(args.Name); err != nil {
			return err
		}
		if args.Status == "" {
			return errors.New(`the argument "status" is missing; give draft, approved or done`)
		}
		d.Status = args.Status
		d.Revision++
		return nil
	}
	if args.Part == "" && args.Title == "" {
		return errors.New("the action write has nothing to change; give a part and its text, or a title")
	}
	if len(args.Text) > MaxPart {
		return fmt.Errorf(`the argument "text" has %d bytes; the limit is %d, so shorten it`, len(args.Text), MaxPart)
	}
	if len(args.Title) > MaxTitle {
		return fmt.Errorf(`the argument "title" has %d bytes; the limit is %d, so shorten it`, len(args.Title), MaxTitle)
	}
	if strings.ContainsFunc(args.Title, unicode.IsControl) {
		return errors.New(`the argument "title" has a line feed or another control character; give a single line`)
	}
	if d.Revision == 0 {
		d.Name, d.Status = args.Name, Draft
	}
	if args.Title != "" {
		d.Title = args.Title
	}
	switch args.Part {
	case "requirements":
		d.Requirements = args.Text
	case "design":
		d.Design = args.Text
	case "tasks":
		d.Tasks = args.Text
	}
	// Remove the approval, which applied only to the previous content.
	if args.Part != "" {
		d.Status = Draft
	}
	d.Revision++
	return nil
}

func (d document) title() string {
	title := fmt.Sprintf("%s: %s, revision %d", d.Name, d.Status, d.Revision)
	if d.Title != "" {
		title += ": " + d.Title
	}
	return title
}

func (d document) show() guest.Result {
	var text strings.Builder
	text.WriteString(d.title())
	for _, part := range []struct{ name, text string }{{"Requirements", d.Requirements}, {"Design", d.Design}, {"Tasks", d.Tasks}} {
		if part.text != "" {
			fmt.Fprintf(&text, "\n\n## %s\n\n%s", part.name, strings.TrimSpace(part.text))
		}
	}
	return guest.Result{Content: []guest.Content{guest.Text(text.String())}, Title: d.title(), Structured: d}
}

// changed returns the result of a change. It does not contain the whole text, because the caller
// already has it.
func (d document) changed(before int64) guest.Result {
	verb := "changed"
	if before == 0 {
		verb = "new"
	}
	result := message(d.title() + " (" + verb + ")")
	result.Structured = map[string]any{"name": d.Name, "status": d.Status, "revision": d.Revision}
	return result
}

func list(store record.Store) (guest.Result, error) {
	keys, err := store.List(prefix, "")
	if err != nil {
		return guest.Result{}, fmt.Errorf("the store can't be read: %w", err)
	}
	var lines []string
	specs := []map[string]any{}
	for _, key := range keys {
		d, err := record.Read[document](store, key)
		if err != nil {
			return guest.Result{}, err
		}
		if d.Revision == 0 {
			continue // another call has deleted it after it was listed
		}
		lines = append(lines, d.title())
		specs = append(specs, map[string]any{"name": d.Name, "title": d.Title, "status": d.Status, "revision": d.Revision})
	}
	if len(lines) == 0 {
		lines = []string{"There are no specifications; write creates one."}
	}
	result := message(strings.Join(lines, "\n"))
	result.Title = toolabi.Quantity(len(specs), "specification")
	result.Structured = map[string]any{"specs": specs}
	return result, nil
}

func message(text string) guest.Result {
	return guest.Result{Content: []guest.Content{guest.Text(text)}, Title: text}
}

// clip shortens an invalid name for an error message.
func clip(name string) string {
	if len(name) > 100 {
		return strings.ToValidUTF8(name[:100], "") + "..."
	}
	return name
}
