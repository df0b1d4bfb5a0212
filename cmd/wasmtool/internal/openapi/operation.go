package openapi

import (
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/wasmtool/wasmtool/cmd/wasmtool/internal/tooldir"
	"github.com/wasmtool/wasmtool/hostfuncs/egress"
	"github.com/wasmtool/wasmtool/internal/jsonschema"
	"github.com/wasmtool/wasmtool/internal/stricttoml"
)

// operation is one that is being converted.
type operation struct {
	*document
	path, method string
	// item is the path with all its operations, and node the operation.
	item, node *node
	notes      []*problem

	arguments []argument
	// taken are the names of arguments.
	taken tooldir.Names
	// inPath are the arguments that stand in the path, by the names that it has for them.
	inPath  map[string]string
	request tooldir.Request
}

// String returns method and path.
func (op *operation) String() string { return op.method + " " + op.path }

// convert makes a tool of the operation.
func (op *operation) convert() (tooldir.Tool, *problem) {
	op.taken, op.inPath = tooldir.NewNames(), make(map[string]string)
	op.request = tooldir.Request{Method: op.method, Query: make(map[string]string), Headers: make(map[string]string)}
	if op.node.kindIs() != kindObject {
		return tooldir.Tool{}, problemAt(op.node, "is no operation, which is an object")
	}
	if op.method == "TRACE" {
		return tooldir.Tool{}, problemAt(op.node, "TRACE is never sent")
	}
	// The body comes first, because the names in it cannot be changed.
	for _, step := range []func() *problem{op.chooseServer, op.secure, op.body, op.parameters, op.fillPath} {
		if fault := step(); fault != nil {
			return tooldir.Tool{}, fault
		}
	}
	schema, fault := op.parametersSchema(op.arguments)
	if fault == nil {
		schema, fault = op.clean(schema)
	}
	if fault != nil {
		return tooldir.Tool{}, fault
	}
	if op.schemaBytes += len(schema); op.schemaBytes > maxSchemasBytes {
		return tooldir.Tool{}, problemAt(op.node, "the schemas of all operations together are larger than "+stricttoml.FormatSize(maxSchemasBytes))
	}
	name := op.node.get("operationId").content()
	if name == "" {
		name = strings.ToLower(op.method) + " " + op.path
	}
	tool := tooldir.Tool{Name: op.names.Take(tooldir.ToolName(name)), Origin: op.String(), Schema: schema}
	var err error
	if tool.Manifest, err = op.manifest(tool.Name); err != nil {
		return tooldir.Tool{}, problemAt(op.node, "makes no manifest: "+err.Error())
	}
	return tool, nil
}

// clean makes escapes of the characters that are not shown where a schema is for readers. In
// names and values they mean something to the server, and refuse the operation.
func (op *operation) clean(schema []byte) ([]byte, *problem) {
	clean, faults, refused := jsonschema.CleanTexts(schema)
	if refused != nil {
		return nil, problemAt(op.node, fmt.Sprintf("the schema of its parameters: %s; leave it out of the document", refused))
	}
	if len(faults) > 0 {
		op.note(op.node, fmt.Sprintf("the schema of its parameters: %s; such characters are escaped", faults[0]))
	}
	return clean, nil
}

// note says that something was left out.
func (op *operation) note(at *node, message string) {
	op.notes = append(op.notes, problemAt(at, message))
}

// leaveOut notes that a part of the request is left out, and refuses the operation if it is required.
func (op *operation) leaveOut(at *node, required bool, reason string) *problem {
	if required {
		return problemAt(at, reason+"; a manifest cannot say that")
	}
	op.note(at, reason+", and is left out")
	return nil
}

// chooseServer finds where the request goes: the first server of the operation, of its
// path, or of the document.
func (op *operation) chooseServer() *problem {
	const fix = "name one with --server"
	op.request.BaseURL = op.server
	if op.server != "" {
		return nil
	}
	var server *node
	for _, n := range []*node{op.node, op.item, op.root} {
		if list := n.get("servers").elements(); len(list) > 0 {
			server = list[0]
			break
		}
	}
	if server == nil {
		return problemAt(op.node, "the document has no server; "+fix)
	}
	at := server.get("url")
	text := at.content()
	variables := server.get("variables")
	for _, name := range variables.names() {
		text = strings.ReplaceAll(text, "{"+name+"}", variables.get(name).get("default").content())
	}
	if u, err := url.Parse(text); err != nil || u.Host == "" {
		return problemAt(at, fmt.Sprintf("the server %s has no host; %s", stricttoml.Quote(text), fix))
	}
	op.request.BaseURL = text
	return nil
}

// parameters finds a place for each parameter of the path and of the operation, which
// take the place of those of the path.
func (op *operation) parameters() *problem {
	type key struct{ in, name string }
	own := make(map[key]*node)
	var order []key
	for _, list := range []*node{op.item.get("parameters"), op.node.get("parameters")} {
		for _, p := range list.elements() {
			resolved, fault := op.resolve(p)
			if fault != nil {
				return fault
			}
			k := key{resolved.get("in").content(), resolved.get("name").content()}
			if own[k] == nil {
				order = append(order, k)
			}
			own[k] = resolved
		}
	}
	body := op.arguments
	op.arguments = nil
	for _, k := range order {
		if fault := op.parameter(own[k], k.in, k.name); fault != nil {
			return fault
		}
	}
	op.arguments = append(op.arguments, body...)
	return nil
}

// parameter finds a place for a parameter, leaves it out with a note, or refuses.
func (op *operation) parameter(p *node, in, name string) *problem {
	if in == "header" && slices.ContainsFunc([]string{"Accept", "Content-Type", "Authorization"}, func(h string) bool { return strings.EqualFold(h, name) }) {
		return nil // says nothing, as the standard has it
	}
	if op.hasSecret(in, name) {
		return nil // the host puts it in
	}
	required := in == "path" || p.get("required").isTrue()
	if reason := op.obstacle(p, in, name); reason != "" {
		return op.leaveOut(p, required, fmt.Sprintf("the parameter %s %s", stricttoml.Quote(name), reason))
	}
	argument := argument{
		name: op.taken.Take(argumentName(name)), schema: p.get("schema"),
		description: p.get("description").content(), required: required,
	}
	op.arguments = append(op.arguments, argument)
	switch placeholder := "{" + argument.name + "}"; in {
	case "path":
		op.inPath[name] = argument.name
	case "query":
		op.request.Query[name] = placeholder
	case "header":
		op.request.Headers[name] = placeholder
	}
	return nil
}

// obstacle says why a parameter has no place in a manifest; empty when it has.
func (op *operation) obstacle(p *node, in, name string) string {
	shape := op.shape(p.get("schema"))
	style := p.get("style").content()
	explode := p.get("explode")
	switch {
	case name == "":
		return "has no name"
	case p.get("content") != nil:
		return "is sent as content of its own"
	case in == "path" && style != "" && style != "simple", in == "header" && style != "" && style != "simple", in == "query" && style != "" && style != "form":
		return "has the style " + stricttoml.Quote(style)
	case shape == "object":
		return "is an object outside of the body"
	case shape == "array" && in != "query":
		return "is a list outside of query and body"
	case shape == "array" && explode.kindIs() == kindBoolean && !explode.isTrue():
		return "is a list in one text"
	}
	switch in {
	case "path", "query":
		return ""
	case "header":
		if err := egress.CheckHeader(name); err != nil {
			return "cannot be sent: " + err.Error()
		}
		return ""
	case "cookie":
		return "is a cookie"
	}
	return "is in " + stricttoml.Quote(in)
}

// shape is the type that a schema names, or empty when it names none or several.
func (op *operation) shape(schema *node) string {
	n, fault := op.resolve(schema)
	if fault != nil {
		return "" // told where the schema is written
	}
	t := n.get("type")
	if t.kindIs() == kindList {
		types := slices.DeleteFunc(slices.Clone(t.items), func(n *node) bool { return n.content() == "null" })
		if len(types) != 1 {
			return ""
		}
		return types[0].content()
	}
	if t == nil && n.get("properties") != nil {
		return "object"
	}
	return t.content()
}

// fillPath puts the names of arguments into the path.
func (op *operation) fillPath() *problem {
	if !strings.HasPrefix(op.path, "/") {
		return problemAt(op.node, fmt.Sprintf("the path %s does not begin with a slash", stricttoml.Quote(op.path)))
	}
	var b strings.Builder
	used := make(map[string]bool)
	for rest := op.path; rest != ""; {
		before, after, found := strings.Cut(rest, "{")
		b.WriteString(strings.ReplaceAll(before, "}", "}}"))
		if !found {
			break
		}
		name, tail, closed := strings.Cut(after, "}")
		argument, ok := op.inPath[name]
		if !closed || !ok {
			return problemAt(op.node, fmt.Sprintf("the path names %s, and there is no such parameter in it", stricttoml.Quote("{"+name+"}")))
		}
		used[name] = true
		b.WriteString("{" + argument + "}")
		rest = tail
	}
	for name, argument := range op.inPath {
		if !used[name] {
			return problemAt(op.node, fmt.Sprintf("the path has no place for its parameter %s (%s)", stricttoml.Quote(name), argument))
		}
	}
	op.request.Path = b.String()
	return nil
}
