package jsonschema

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	santhosh "github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/wasmtool/wasmtool/internal/jsontree"
)

// libraryFaults words the error of the library's compiler. told are the faults
// that were found before, in better words: what the library says about the same
// places is left out.
func libraryFaults(err error, doc *jsontree.Value, schemas map[string]*jsontree.Value, told SchemaErrors) SchemaErrors {
	var (
		invalid *santhosh.SchemaValidationError
		tree    *santhosh.ValidationError
	)
	if errors.As(err, &invalid) && errors.As(invalid.Err, &tree) {
		t := translator{doc: doc, speaker: schemaSpeaker, schemas: schemas}
		var faults SchemaErrors
		at, _ := pointerInSchema(invalid.URL)
		if at != "" {
			t.doc = doc.At(jsontree.SplitPointer(at))
		}
		for _, one := range t.faults(tree) {
			fault := SchemaError{Pointer: at + one.Pointer, Message: one.Message}
			// The end of a cut list is told once, for all faults.
			cut := one.Kind == KindLimit && len(told) > 0
			if !cut && !alreadyTold(fault.Pointer, told) {
				faults = append(faults, fault)
			}
		}
		if len(faults)+len(told) > 0 {
			return faults
		}
	}
	if len(told) > 0 {
		return nil // most likely the same again
	}
	return SchemaErrors{libraryFault(err)}
}

// alreadyTold reports whether a fault was found at the pointer, around it or
// just inside it (where the library blames the names of a list).
func alreadyTold(pointer string, told SchemaErrors) bool {
	return slices.ContainsFunc(told, func(one SchemaError) bool {
		parent := one.Pointer[:max(strings.LastIndexByte(one.Pointer, '/'), 0)]
		return pointer == one.Pointer || strings.HasPrefix(pointer, one.Pointer+"/") ||
			pointer == parent && pointer != ""
	})
}

// libraryFault words the errors that stop the library at once. Their own texts
// hold made-up addresses.
func libraryFault(err error) SchemaError {
	var (
		load      *santhosh.LoadURLError
		pointer   *santhosh.JSONPointerNotFoundError
		syntax    *santhosh.InvalidJsonPointerError
		anchor    *santhosh.AnchorNotFoundError
		twiceID   *santhosh.DuplicateIDError
		twiceName *santhosh.DuplicateAnchorError
		id        *santhosh.ParseIDError
		address   *santhosh.ParseURLError
	)
	switch {
	case errors.As(err, &load):
		return SchemaError{Message: fmt.Sprintf(
			`the schema refers to %s, which is outside it; remote schemas are not read: move it under "$defs"`,
			jsontree.QuoteName(ownAddress(load.URL)))}
	case errors.As(err, &pointer):
		return SchemaError{Message: fmt.Sprintf("the reference %s leads nowhere", jsontree.QuoteName(ownAddress(pointer.URL)))}
	case errors.As(err, &syntax):
		return SchemaError{Message: fmt.Sprintf("the reference %s holds a JSON pointer with a stray ~", jsontree.QuoteName(ownAddress(syntax.URL)))}
	case errors.As(err, &anchor):
		return SchemaError{Message: fmt.Sprintf("the reference %s names an anchor that is not there", jsontree.QuoteName(ownAddress(anchor.Reference)))}
	case errors.As(err, &twiceID):
		return SchemaError{Pointer: twiceID.Ptr1, Message: fmt.Sprintf(`"$id" %s is used twice`, jsontree.QuoteName(ownAddress(twiceID.ID)))}
	case errors.As(err, &twiceName):
		return SchemaError{Pointer: twiceName.Ptr1, Message: fmt.Sprintf(`"$anchor" %s is used twice`, jsontree.QuoteName(twiceName.Anchor))}
	case errors.As(err, &id):
		at, _ := pointerInSchema(id.URL)
		return SchemaError{Pointer: at, Message: `"$id" is not a URI reference`}
	case errors.As(err, &address):
		return SchemaError{Message: fmt.Sprintf("%s is not a URI reference", jsontree.QuoteName(ownAddress(address.URL)))}
	}
	return SchemaError{Message: "the schema can't be compiled; simplify its references and identifiers"}
}

// ownAddress removes the made-up address of the schema itself.
func ownAddress(location string) string {
	return strings.TrimPrefix(location, baseURL)
}

// boundFaults removes repeats and shortens the list.
func boundFaults(all SchemaErrors) SchemaErrors {
	var faults SchemaErrors
	for i, one := range all {
		if slices.Contains(faults, one) {
			continue
		}
		if len(faults) == maxFaults {
			return append(faults, SchemaError{Message: fmt.Sprintf("and %d more", len(all)-i)})
		}
		faults = append(faults, one)
	}
	return faults
}
