package jsonschema

import "fmt"

// walker changes a document as its place asks: it coerces, drops what is not
// declared and adds defaults.
type walker struct {
	// exact leaves values as they are (for the defaults of a schema).
	exact bool
	// arguments says that the document is the arguments of a call.
	arguments bool
	// absent returns what stands in for a field that was not sent.
	absent func(*field) *filled
	// values counts what the document holds, with what was added, up to
	// ceiling; depth is the deepest that was added.
	values, ceiling, depth int
	// dropped holds the first drops, more counts the others.
	dropped []drop
	more    int
	// work bounds what walking takes; nil is no bound.
	work *budget
	// limit is set when the document grew beyond a ceiling.
	limit *Fault
}

// drop is a field that was dropped.
type drop struct {
	path     []string // of the object
	name     string
	declared []string // the fields that the object may have
	meant    string   // the one that was probably meant, or ""
}

// trail is the way from the root to a value.
type trail struct {
	up    *trail
	token string
	index int // of an item, when token is ""
	item  bool
}

func (t *trail) path() []string {
	if t == nil {
		return nil
	}
	token := t.token
	if t.item {
		token = fmt.Sprint(t.index)
	}
	return append(t.up.path(), token)
}

// depth is the number of containers around what the trail leads to.
func (t *trail) depth() int {
	n := 0
	for ; t != nil; t = t.up {
		n++
	}
	return n
}

// walk prepares v, which stands at p; nothing is asked where p is nil.
func (w *walker) walk(v *value, p *place, at *trail) {
	if p == nil || w.limit != nil {
		return
	}
	if !w.exact {
		w.coerce(v, p, at)
	}
	switch v.kind {
	case kindObject:
		w.object(v, &p.object, at)
	case kindArray:
		w.work.spend(1 + len(v.items)/fieldsPerWork)
		for i := range v.items {
			w.walk(&v.items[i], p.array.at(i), &trail{up: at, index: i, item: true})
		}
	}
}

// fieldsPerWork is how many fields of an object are looked at in the time of one visit.
const fieldsPerWork = 64

func (w *walker) object(v *value, rules *objectRules, at *trail) {
	w.work.spend(1 + (len(rules.fields)+len(v.members))/fieldsPerWork)
	sent := make([]bool, len(rules.fields))
	kept := v.members[:0]
	for i := range v.members {
		m := &v.members[i]
		if f, ok := rules.index[m.name]; ok {
			sent[f] = true
			w.walk(&m.value, rules.fields[f].place, &trail{up: at, token: m.name})
		} else if rules.drops(w.arguments && at == nil) {
			w.drop(rules, at, m.name)
			continue
		} else {
			w.walk(&m.value, rules.rest, &trail{up: at, token: m.name})
		}
		kept = append(kept, *m)
	}
	clear(v.members[len(kept):])
	v.members = kept
	for i := range rules.fields {
		f := &rules.fields[i]
		if sent[i] {
			continue
		}
		if add := w.absent(f); add != nil && w.fits(add, at) {
			v.members = append(v.members, member{name: f.name, literal: f.literal, value: add.value})
		}
	}
}

func (w *walker) drop(rules *objectRules, at *trail, name string) {
	if len(w.dropped) == maxWarnings {
		w.more++
		return
	}
	declared := rules.names()
	w.dropped = append(w.dropped, drop{path: at.path(), name: name, declared: declared, meant: nearest(name, declared)})
}

// fits counts a value that is about to be added to the object at a trail.
func (w *walker) fits(add *filled, at *trail) bool {
	w.values += add.values
	w.depth = max(w.depth, at.depth()+1+add.depth)
	switch {
	case w.limit != nil:
	case w.values > w.ceiling:
		w.limit = &Fault{
			Pointer: pointerOf(at.path()), Kind: KindLimit,
			Message: fmt.Sprintf("more than %d values once defaults are added; send less", w.ceiling),
		}
	case w.depth > MaxDepth:
		w.limit = &Fault{
			Pointer: pointerOf(at.path()), Kind: KindLimit,
			Message: fmt.Sprintf("nesting deeper than %d levels once defaults are added; send less", MaxDepth),
		}
	}
	return w.limit == nil
}
