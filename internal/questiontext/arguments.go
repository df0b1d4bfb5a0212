package questiontext

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/wasmtool/wasmtool/internal/each"
	"github.com/wasmtool/wasmtool/internal/lazyregexp"
	"github.com/wasmtool/wasmtool/internal/plaintext"
)

// Limits on the text, in bytes of the arguments unless noted otherwise. An escape can turn one to
// four of these bytes into ten.
const (
	maxFirst   = 4096 // each parameter of Options.First
	maxScript  = 4000
	maxLines   = 40   // lines of a script
	maxCommand = 1200 // each of Options.Commands
	maxValues  = 6000 // all values except the first parameters and the script, together
	maxValue   = 600  // each of these values that is not shown in full
	maxShown   = 40   // number of values with a line of their own
	maxName    = 80
	maxNames   = 2000 // the names of all parameters that have no line of their own
	maxMissing = 1000 // Shown.Missing, in bytes of the text
)

// Parameter is a parameter in the tool's schema.
type Parameter struct {
	Name     string
	Required bool
	Default  json.RawMessage // nil for none
}

// Options says what the reader must see. The zero value treats all values alike.
type Options struct {
	// Parameters lists the parameters of the tool in the order of its schema.
	Parameters []Parameter
	// First names parameters that are shown before all others, in full if possible.
	First []string
	// Script names the parameter that is a shell script; "" if there is none.
	Script string
	// Commands lists the commands of the script that need approval. They are shown if the script is
	// too long to be shown in full.
	Commands []string
}

// Shown is the text that shows the arguments of a call.
type Shown struct {
	// Lines is the text: lines with a newline each, safe to print and wrapped as by Wrap.
	Lines string
	// Missing names the arguments that are not shown in full; "" if all are.
	Missing string
}

// Arguments returns the text for the arguments of a call, which are a JSON object. Arguments that
// have the default of the schema are left out, because the digest of the tool fixes them.
func Arguments(arguments json.RawMessage, o Options) Shown {
	w := &writer{o: o}
	if err := json.Unmarshal(arguments, &w.values); err != nil {
		w.line("%s", Shorten(string(arguments), maxValue))
		if len(arguments) > maxValue {
			w.missing = append(w.missing, "the arguments")
		}
	}
	for _, name := range o.First {
		w.first(name)
	}
	w.script(o.Script)
	w.rest()
	return Shown{w.b.String(), joined(w.missing, maxMissing, func(what string) string { return what })}
}

type writer struct {
	o       Options
	values  map[string]json.RawMessage // the values that are not written yet
	b       strings.Builder
	missing []string
}

func (w *writer) line(format string, args ...any) {
	w.b.WriteString(Wrap(fmt.Sprintf("  "+format, args...)) + "\n")
}

// take returns a value that is not written yet and removes it from values.
func (w *writer) take(name string) (json.RawMessage, bool) {
	value, ok := w.values[name]
	delete(w.values, name)
	return value, ok
}

func (w *writer) first(name string) {
	if name == w.o.Script {
		return
	}
	value, ok := w.take(name)
	if !ok {
		return
	}
	text, e := render(value, maxFirst)
	w.line("%s: %s", label(name), text)
	if e != whole {
		w.missing = append(w.missing, label(name))
	}
}

// script writes a script line by line. If the script is too long, it writes the commands that need
// approval, and then the beginning and the end of the script.
func (w *writer) script(name string) {
	if name == "" {
		return
	}
	value, ok := w.take(name)
	if !ok {
		return
	}
	var text string
	if err := json.Unmarshal(value, &text); err != nil {
		text = string(value)
	}
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	if len(text) <= maxScript && len(lines) <= maxLines {
		w.line("%s:", label(name))
		w.scriptLines(lines)
		return
	}
	w.missing = append(w.missing, label(name))
	w.line("%s, a script of %d lines and %d bytes. These commands need approval:", label(name), len(lines), len(text))
	w.commands()
	w.line("The script begins and ends with:")
	head, tail := ends(text, maxScript/2)
	if tail == "" { // the script has too many lines, but not too many bytes
		tail = text
	}
	first := strings.Split(head, "\n")
	w.scriptLines(first[:min(len(first), maxLines/2)])
	w.line("  | …")
	last := strings.Split(strings.TrimSuffix(tail, "\n"), "\n")
	w.scriptLines(last[max(len(last)-maxLines/2, 0):])
}

func (w *writer) scriptLines(lines []string) {
	for _, line := range lines {
		w.b.WriteString(wrap("    | "+plaintext.Visible(line), "    > ") + "\n")
	}
}

func (w *writer) commands() {
	room := maxScript
	for i, command := range w.o.Commands {
		if room -= min(len(command), maxCommand); room < 0 || i == maxLines {
			w.line("  and %d more commands", len(w.o.Commands)-i)
			w.missing = append(w.missing, fmt.Sprintf("%d commands that need approval", len(w.o.Commands)-i))
			return
		}
		w.line("  - %s", Quote(command, maxCommand))
	}
}

// rest writes the remaining values: required parameters, optional parameters, and then arguments
// that the schema does not declare. It leaves out values that are the default of the schema.
func (w *writer) rest() {
	var required, optional []string
	defaults := false
	declared := make(map[string]bool)
	for _, p := range w.o.Parameters {
		value, ok := w.values[p.Name]
		declared[p.Name] = true
		switch {
		case !ok:
		case p.Required:
			required = append(required, p.Name)
		case p.Default != nil && sameJSON(value, p.Default):
			defaults = true
		default:
			optional = append(optional, p.Name)
		}
	}
	names := slices.Concat(required, optional)
	for _, name := range slices.Sorted(maps.Keys(w.values)) {
		if !declared[name] {
			names = append(names, name)
		}
	}
	shown := names[:min(len(names), maxShown)]
	room := w.share(shown)
	for _, name := range shown {
		text, e := render(w.values[name], room)
		if e != whole { // the value is cut anyway, so show less and leave room for others
			text, e = render(w.values[name], min(room, maxValue))
		}
		w.line("%s: %s", label(name), text)
		switch e {
		case shortened:
			w.missing = append(w.missing, label(name))
		case partial:
			w.missing = append(w.missing, "members of "+label(name))
		}
	}
	if more := names[len(shown):]; len(more) > 0 {
		w.missing = append(w.missing, fmt.Sprintf("%d more arguments", len(more)))
		w.line("more, with their values not shown: %s", joined(more, maxNames, label))
	}
	if defaults && w.b.Len() == 0 {
		w.line("every argument has its default")
	}
}

// share returns the number of bytes that each value may use. Bytes that short values do not need
// are given to the long values, so that no value is cut while there is room for all.
func (w *writer) share(names []string) int {
	sizes := each.Of(names, func(name string) int { return len(w.values[name]) })
	slices.Sort(sizes)
	left := maxValues
	for i, size := range sizes {
		each := left / (len(sizes) - i)
		if size > each {
			return each
		}
		left -= size
	}
	return maxValues
}

// joined lists names. It only counts the names that do not fit into a line of room bytes.
func joined(names []string, room int, show func(string) string) string {
	var list []string
	for i, name := range names {
		text := show(name)
		if room -= len(text); room < 0 {
			list = append(list, fmt.Sprintf("and %d more", len(names)-i))
			break
		}
		list = append(list, text)
	}
	return strings.Join(list, ", ")
}

var plainName = lazyregexp.New(`^[A-Za-z_][A-Za-z0-9_.-]*$`)

// label returns a name in the form in which it is shown before its value. A name that is not a
// plain word is quoted, so that it cannot be mistaken for text of the host.
func label(name string) string {
	if plainName.MatchString(name) && len(name) <= maxName {
		return name
	}
	return Quote(name, maxName)
}

func sameJSON(a, b json.RawMessage) bool {
	var values [2]any
	for i, text := range []json.RawMessage{a, b} {
		decoder := json.NewDecoder(bytes.NewReader(text))
		decoder.UseNumber()
		if decoder.Decode(&values[i]) != nil {
			return false
		}
	}
	return reflect.DeepEqual(values[0], values[1])
}
