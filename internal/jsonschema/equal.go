package jsonschema

// Key returns what [Key] returns for a.JSON, which is not parsed once more.
func (a Arguments) Key() []byte { return appendKey(nil, a.root.tree(nil)) }

// Key returns a text that two JSON documents share if and only if JSON Schema takes them
// for equal: fields in any order, numbers by value. It is for comparing, not for reading.
// The error is [Faults], for a document that is no strict JSON or is beyond the ceilings
// for documents.
func Key(doc []byte) ([]byte, error) {
	v, fault := parse(string(doc), documentBounds("the document"))
	if fault != nil {
		return nil, Faults{*fault}
	}
	return appendKey(nil, v.tree(nil)), nil
}
