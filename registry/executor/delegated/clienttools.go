package delegated

import (
	"fmt"

	"github.com/wasmtool/wasmtool/internal/jsontree"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// MaxClientTools limits the tools that a client can define at once.
const MaxClientTools = 256

// ClientTools reads the tools that a client defines: a JSON array of objects
// {"function": {"name", "description", "parameters"}}, the form in which chat APIs define tools.
// Other keys are ignored. It checks the form; [Inbox.Define] checks the tools themselves. The error
// is a *[tool.Error] with the code invalid_manifest.
//
// The specs have only these fields, and the client wrote their descriptions. The tools run outside
// the sandbox. All tenants of a registry share its tools, so a program that accepts tools of
// several clients uses a registry for each client.
func ClientTools(definitions []byte) ([]tool.Spec, error) {
	invalid := func(format string, args ...any) error {
		return &tool.Error{Code: tool.CodeInvalidManifest, Message: "the client's tools: " + fmt.Sprintf(format, args...)}
	}
	list, err := jsontree.Parse(definitions, jsontree.Document("the list"))
	switch {
	case err != nil:
		return nil, invalid("%v", err)
	case list.Kind != jsontree.Array:
		return nil, invalid("they must be an array, got %s", list.Describe())
	case len(list.Items) > MaxClientTools:
		return nil, invalid("there are %d; the limit is %d", len(list.Items), MaxClientTools)
	}
	specs := make([]tool.Spec, 0, len(list.Items))
	for i := range list.Items {
		function := list.Items[i].Member("function")
		if function == nil || function.Kind != jsontree.Object {
			return nil, invalid(`[%d] has no object "function"; write {"function": {"name": "..."}}`, i)
		}
		var spec tool.Spec
		for key, text := range map[string]*string{"name": &spec.Name, "description": &spec.Description} {
			v := function.Member(key)
			if v != nil && v.Kind != jsontree.String {
				return nil, invalid("[%d].function.%s must be a string, got %s", i, key, v.Describe())
			}
			if v != nil {
				*text = v.Text()
			}
		}
		if p := function.Member("parameters"); p != nil && p.Kind != jsontree.Null {
			spec.Parameters = p.JSON()
		}
		specs = append(specs, spec)
	}
	return specs, nil
}
