package jsonschema

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	santhosh "github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/wasmtool/wasmtool/internal/jsontree"
)

// libraryErrors translates the error of the library's compiler. reported holds the errors that the
// checker found, which have better messages. Errors of the library at the same places are left out.
func libraryErrors(err error, doc *jsontree.Value, schemas map[string]*jsontree.Value, reported SchemaErrors) SchemaErrors {
	var (
		invalid *santhosh.SchemaValidationError
		tree    *santhosh.ValidationError
	)
	if errors.As(err, &invalid) && errors.As(invalid.Err, &tree) {
		t := translator{doc: doc, namer: schemaNamer, schemas: schemas}
		var errs SchemaErrors
		at, _ := pointerInSchema(invalid.URL)
		if at != "" {
			t.doc = doc.At(jsontree.SplitPointer(at))
		}
		for _, v := range t.violations(tree) {
			one := SchemaError{Pointer: at + v.Pointer, Message: v.Message}
			// The last entry of a cut list, such as "and 3 more", is added only once for all
			// errors.
			cut := v.Kind == KindLimit && len(reported) > 0
			if !cut && !alreadyReported(one.Pointer, reported) {
				errs = append(errs, one)
			}
		}
		if len(errs)+len(reported) > 0 {
			return errs
		}
	}
	if len(reported) > 0 {
		return nil // reported most likely contains the library's error already
	}
	return SchemaErrors{libraryError(err)}
}

// alreadyReported reports whether an error was reported at the pointer, around it, or directly
// inside it. The library reports an error of a name in a list directly inside the list.
func alreadyReported(pointer string, reported SchemaErrors) bool {
	return slices.ContainsFunc(reported, func(one SchemaError) bool {
		parent := one.Pointer[:max(strings.LastIndexByte(one.Pointer, '/'), 0)]
		return pointer == one.Pointer || strings.HasPrefix(pointer, one.Pointer+"/") ||
			pointer == parent && pointer != ""
	})
}

// libraryError translates an error at which the library stops. The library's own message would
// contain an artificial address.
func libraryError(err error) SchemaError {
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
		return SchemaError{Message: fmt.Sprintf("the reference %s has no target", jsontree.QuoteName(ownAddress(pointer.URL)))}
	case errors.As(err, &syntax):
		return SchemaError{Message: fmt.Sprintf("the reference %s has a JSON pointer with an invalid ~", jsontree.QuoteName(ownAddress(syntax.URL)))}
	case errors.As(err, &anchor):
		return SchemaError{Message: fmt.Sprintf("the reference %s names an anchor that does not exist", jsontree.QuoteName(ownAddress(anchor.Reference)))}
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

// ownAddress removes the artificial address of the schema itself.
func ownAddress(location string) string {
	return strings.TrimPrefix(location, baseURL)
}

// limitErrors removes duplicates and shortens the list.
func limitErrors(all SchemaErrors) SchemaErrors {
	var errs SchemaErrors
	for i, one := range all {
		if slices.Contains(errs, one) {
			continue
		}
		if len(errs) == maxViolations {
			return append(errs, SchemaError{Message: fmt.Sprintf("and %d more", len(all)-i)})
		}
		errs = append(errs, one)
	}
	return errs
}
