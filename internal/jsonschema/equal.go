package jsonschema

// Key returns a text that two JSON documents share if and only if JSON Schema takes them
// for equal: fields in any order, numbers by value. It is for comparing, not for reading.
// The error is [Faults], for a document that is no strict JSON or is beyond the ceilings
// for documents.
func Key(doc []byte) ([]byte, error) {
	v, fault := parse(string(doc), documentBounds("the document"))
	if fault != nil {
		return nil, Faults{*fault}
	}
	return appendKey(nil, v.tree()), nil
}
