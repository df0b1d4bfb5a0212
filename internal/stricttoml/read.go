package stricttoml

// ReadWith returns a Reader that parses a string or literal with the function parse and passes the
// result to the function take. The errors of parse say how to fix the value.
func ReadWith[T any](c *Checker, parse func(text string) (T, error), take func(at Place, value T)) Reader {
	return func(at Place, n *Node) {
		value, err := parse(n.Text)
		if err != nil {
			c.Errorf(at, "%s", err)
			return
		}
		take(at, value)
	}
}

// ReadString returns a Reader that parses a string or literal and stores the result in target.
// The errors of parse say how to fix the value.
func ReadString[T any](c *Checker, target *T, parse func(text string) (T, error)) Reader {
	return ReadWith(c, parse, func(_ Place, value T) { *target = value })
}

// ReadCount returns a Reader for an integer between low and high.
func ReadCount[T int | int64 | uint64](c *Checker, target *T, low, high T) Reader {
	return ReadString(c, target, func(literal string) (T, error) {
		count, err := ParseCount(literal, uint64(low), uint64(high))
		return T(count), err
	})
}

// ReadStrings returns a Reader for a list of distinct strings, which appends the parsed elements
// to target.
func ReadStrings[T any](c *Checker, target *[]T, parse func(text string) (T, error)) Reader {
	read := ReadWith(c, parse, func(_ Place, value T) { *target = append(*target, value) })
	return func(at Place, n *Node) {
		seen := make(map[string]bool)
		c.EachString(at, n, func(at Place, n *Node) {
			if seen[n.Text] {
				c.Errorf(at, "%s is listed twice; keep one", Quote(n.Text))
				return
			}
			seen[n.Text] = true
			read(at, n)
		})
	}
}

// EachString calls the function read for each string in a list. It records an error for each
// element that is not a string.
func (c *Checker) EachString(at Place, n *Node, read Reader) {
	if !c.checkLength(at, n) {
		return
	}
	for i, item := range n.Items {
		at := at.Item(i, item.Offset)
		if item.Kind != KindString {
			c.Errorf(at, "expected a string, got %s; write it in quotes", item.Kind)
			continue
		}
		read(at, item)
	}
}

// ReadBool returns a Reader for true or false.
func ReadBool(target *bool) Reader {
	return func(_ Place, n *Node) { *target = n.Text == "true" }
}

// Key is a key that a table may have. A list of Keys is the format of a table; a key that is not
// in the list is an error.
type Key struct {
	Name string
	// Path is the dotted path of a table, for error messages.
	Path string
	Want Shape
	// Or is another form of the value, which is tried when the value does not have the type of
	// Want. Nil means that there is no other form.
	Or *Key
	// Required is what an error tells the author to add when the key is missing. "" means that the
	// key is optional.
	Required string
	// Choices are the only strings that a WantString accepts; empty means that Read decides.
	Choices []string
	// Unit adds the most likely unit to a bare number, for an error about a value without a unit.
	Unit func(literal string) string
	// Fix says in an error what to write instead of a value of another type. If Fix is "", the
	// message depends on the shape and the value.
	Fix string
	// Read stores the value. For WantTable, WantTables and WantMap it may be nil, and is called
	// with each table after the table's members.
	Read Reader
	// Members returns the keys of a WantTable, or of the next table of a WantTables. It is called
	// once for each table, so that it can append an element to the caller's slice.
	Members func() []Key
	// Check returns an error for an invalid name in a WantMap; nil accepts every name.
	Check func(name string) error
	// Entry returns the format of the value under a name in a WantMap.
	Entry func(name string) Key
}

// Reader checks a value and stores it. The value already has the type that its key expects.
type Reader func(at Place, n *Node)

// Shape is the type of value that a key expects.
type Shape uint8

// The shapes.
const (
	WantString Shape = iota
	WantBool
	WantInteger
	WantStrings
	WantTable
	WantTables
	// WantMap is a table whose keys the author of the file chooses, and whose values all have the
	// same form.
	WantMap
	// WantJSON is a table with any keys and values, which stands for a JSON object.
	WantJSON
	// WantAny is a value of any type.
	WantAny
)

// kind returns the type of a value of the shape. The result for WantAny has no meaning.
func (s Shape) kind() Kind {
	return [...]Kind{
		WantString: KindString, WantBool: KindBoolean, WantInteger: KindInteger, WantStrings: KindList,
		WantTable: KindTable, WantTables: KindList, WantMap: KindTable, WantJSON: KindTable, WantAny: KindTable,
	}[s]
}

// takes reports whether a node has the type of Want.
func (k Key) takes(n *Node) bool { return k.Want == WantAny || n.Kind == k.Want.kind() }
