package stricttoml

// Key is a key that a table may have. A list of Keys is the format of a table: what
// it does not list is refused.
type Key struct {
	Name string
	// Path is the dotted path of a table, for texts.
	Path string
	Want Shape
	// Or is another form of the value, which is tried when the value has not the type
	// of Want; nil for none.
	Or *Key
	// Required is what to add when the key is missing, or "" when it may be.
	Required string
	// Unit turns a bare number into the text that was meant, where a unit is needed.
	Unit func(literal string) string
	// Fix is what to write in place of a value of another type. Where it is "", the
	// text is made of the shape and the value.
	Fix string
	// Read takes the value. Of WantTable, WantTables and WantNamed it is called with
	// each table after its members, and may be nil.
	Read Reader
	// Members returns the keys of a WantTable, or of the next table of a WantTables:
	// it is called once for each, so that it can append an element to what is read.
	Members func() []Key
	// Check says what is wrong with a name in a WantNamed; nil takes every name.
	Check func(name string) error
	// Entry returns the key that stands under a name in a WantNamed.
	Entry func(name string) Key
}

// Reader checks a value of the right type and stores it.
type Reader func(at Place, n *Node)

// Shape is what a key holds.
type Shape uint8

// The shapes.
const (
	WantText Shape = iota
	WantFlag
	WantInteger
	WantTexts
	WantTable
	WantTables
	// WantNamed is a table whose keys are names of the writer's choice, all with
	// values of the same form.
	WantNamed
	// WantJSON is a table whose keys are not of the format: an object of JSON.
	WantJSON
	// WantAny is a value of any type.
	WantAny
)

// kind returns the type of values, which WantAny does not have.
func (s Shape) kind() Kind {
	return [...]Kind{
		WantText: KindString, WantFlag: KindBoolean, WantInteger: KindInteger, WantTexts: KindList,
		WantTable: KindTable, WantTables: KindList, WantNamed: KindTable, WantJSON: KindTable, WantAny: KindTable,
	}[s]
}

// takes reports whether a node has the type of the key's value, in its first form.
func (k Key) takes(n *Node) bool { return k.Want == WantAny || n.Kind == k.Want.kind() }
