package stricttoml

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
