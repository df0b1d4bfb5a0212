package jsonschema

import (
	"slices"

	santhosh "github.com/santhosh-tekuri/jsonschema/v6"
	keyword "github.com/santhosh-tekuri/jsonschema/v6/kind"

	"github.com/wasmtool/wasmtool/internal/jsontype"
)

// noAlternative means that a value matches none of several forms.
type noAlternative struct{ forms [][]finding }

// wrongTypes means that a value has none of the types that several forms admit.
type wrongTypes struct{ want jsontype.Set }

func (wrongTypes) Error() string { return "not an admitted type" }

// alternatives explains why a value matches no branch of anyOf or oneOf. If it can tell which
// branch was meant, it returns only the findings of that branch.
func (t *translator) alternatives(e *santhosh.ValidationError) []finding {
	here := e.InstanceLocation
	forms := make([][]finding, 0, len(e.Causes))
	var types jsontype.Set
	for _, cause := range e.Causes {
		form := t.collect(nil, cause)
		if want := wantedTypes(form, here); want != 0 {
			types |= want // the branch is for another type, so its other findings do not matter
			continue
		}
		forms = append(forms, form)
	}
	one := func(what any) []finding {
		return []finding{{path: slices.Clone(here), what: what, schema: e.SchemaURL}}
	}
	if len(forms) == 0 {
		return one(wrongTypes{want: types})
	}
	if allowed := mergedValues(forms, here); allowed != nil {
		return one(allowed)
	}
	if len(forms) == 1 {
		return forms[0]
	}
	meant := meantForms(forms, here)
	switch {
	case len(meant) == 1:
		return meant[0]
	case len(meant) > 1:
		return one(noAlternative{forms: meant})
	}
	if fixed := fixedField(forms, here); fixed != nil {
		return []finding{*fixed}
	}
	return one(noAlternative{forms: forms})
}

// wantedTypes returns the types that a form admits at a path if the value there has another type.
// Otherwise it returns 0.
func wantedTypes(form []finding, path []string) jsontype.Set {
	for _, one := range form {
		if !slices.Equal(one.path, path) {
			continue
		}
		switch what := one.what.(type) {
		case *keyword.Type:
			return typesNamed(what.Want)
		case wrongTypes:
			return what.want
		}
	}
	return 0
}

// mergedValues merges the allowed values of forms that do nothing except list allowed values. It
// returns nil if any form does more.
func mergedValues(forms [][]finding, path []string) *notAllowed {
	var merged notAllowed
	for _, form := range forms {
		if len(form) != 1 || !slices.Equal(form[0].path, path) {
			return nil
		}
		allowed, ok := form[0].what.(*notAllowed)
		if !ok {
			return nil
		}
		merged.add(allowed)
	}
	return &merged
}

// add appends the values of another list, up to maxMerged values in all.
func (e *notAllowed) add(other *notAllowed) {
	room := maxMerged - len(e.values)
	e.values = append(e.values, other.values[:min(room, len(other.values))]...)
}

// meantForms returns the forms whose fixed fields match the value. A fixed field has listed values,
// such as a "kind" or a "type".
func meantForms(forms [][]finding, path []string) [][]finding {
	var meant [][]finding
	for _, form := range forms {
		if !slices.ContainsFunc(form, func(one finding) bool { return isFixed(one, path) }) {
			meant = append(meant, form)
		}
	}
	return meant
}

// isFixed reports whether a finding is about a field with listed values directly below path.
func isFixed(one finding, path []string) bool {
	_, listed := one.what.(*notAllowed)
	return listed && len(one.path) == len(path)+1
}

// fixedField merges the values that the forms list for a field, if all forms list values for the
// same field. It returns nil otherwise.
func fixedField(forms [][]finding, path []string) *finding {
	var merged notAllowed
	var field []string
	for _, form := range forms {
		at := slices.IndexFunc(form, func(one finding) bool { return isFixed(one, path) })
		if at < 0 || field != nil && !slices.Equal(form[at].path, field) {
			return nil
		}
		field = form[at].path
		if allowed, ok := form[at].what.(*notAllowed); ok {
			merged.add(allowed)
		}
	}
	return &finding{path: field, what: &merged}
}
