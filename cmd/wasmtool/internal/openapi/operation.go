package openapi

import (
	"cmp"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/wasmtool/wasmtool/cmd/wasmtool/internal/tooldir"
	"github.com/wasmtool/wasmtool/hostfuncs/egress"
	"github.com/wasmtool/wasmtool/internal/jsonschema"
	"github.com/wasmtool/wasmtool/internal/stricttoml"
)

// operation is the operation being converted.
type operation struct {
	*document
	path, method string
	item         *node // the path item, with all its operations
	node         *node // the operation itself, a member of item
	notes        []*problem

	arguments []argument
	taken     tooldir.Names // the names of the arguments
	// inPath maps the names of path parameters in the document to the names of arguments.
	inPath  map[string]string
	request tooldir.Request
}

// String returns the method and the path.
func (op *operation) String() string { return op.method + " " + op.path }

// convert returns the operation as a tool.
func (op *operation) convert() (tooldir.Tool, *problem) {
	op.taken, op.inPath = tooldir.NewNames(), make(map[string]string)
	op.request = tooldir.Request{Method: op.method, Query: make(map[string]string), Headers: make(map[string]string)}
	node, prob := op.read(op.node, "the operation", operationKeys)
	switch {
	case prob != nil:
		return tooldir.Tool{}, prob
	case node.kindIs() != kindObject:
		return tooldir.Tool{}, problemAt(op.node, "is not an operation: an operation is an object")
	}
	op.node = node
	if op.method == "TRACE" {
		return tooldir.Tool{}, problemAt(op.node, "TRACE requests are not supported")
	}
	// Convert the body before the parameters, because the names of the body's fields cannot be
	// changed.
	for _, step := range []func() *problem{op.chooseServer, op.secure, op.body, op.parameters, op.fillPath} {
		if prob := step(); prob != nil {
			return tooldir.Tool{}, prob
		}
	}
	schema, prob := op.parametersSchema(op.arguments)
	if prob == nil {
		schema, prob = op.clean(schema)
	}
	if prob == nil {
		schema = op.repair(schema)
	}
	if prob != nil {
		return tooldir.Tool{}, prob
	}
	if op.schemaBytes += len(schema); op.schemaBytes > maxSchemasBytes {
		return tooldir.Tool{}, problemAt(op.node, "the schemas of all operations together are larger than "+stricttoml.FormatSize(maxSchemasBytes))
	}
	name := op.node.get("operationId").content()
	name = cmp.Or(name, strings.ToLower(op.method)+" "+op.path)
	tool := tooldir.Tool{Name: op.names.Take(tooldir.ToolName(name)), Origin: op.String(), Files: map[string][]byte{tooldir.SchemaFile: schema}}
	var err error
	if tool.Manifest, err = op.manifest(tool.Name); err != nil {
		return tooldir.Tool{}, problemAt(op.node, "has no valid manifest: "+err.Error())
	}
	return tool, nil
}

// clean escapes invisible characters in the parts of a schema that are only for readers, such as
// descriptions. In names and values, these characters matter to the server, so clean refuses the
// operation.
func (op *operation) clean(schema []byte) ([]byte, *problem) {
	clean, hidden, refused := jsonschema.CleanTexts(schema)
	if refused != nil {
		return nil, problemAt(op.node, fmt.Sprintf("the schema of its parameters: %s; remove it from the document", refused))
	}
	if len(hidden) > 0 {
		op.note(op.node, fmt.Sprintf("the schema of its parameters: %s; such characters are escaped", hidden[0]))
	}
	return clean, nil
}

// repair leaves out the parts of a schema that are invalid in a manifest. This is safe because the
// server checks the requests that it gets. A schema that cannot be repaired is reported when its
// manifest is read.
func (op *operation) repair(schema []byte) []byte {
	repaired, removed, err := jsonschema.RepairParameters(schema)
	if err != nil || len(removed) == 0 {
		return schema
	}
	op.note(op.node, "parts of the schema of its parameters are left out: "+removed.Summary())
	return repaired
}

// note records that something was left out or changed.
func (op *operation) note(at *node, message string) {
	op.notes = append(op.notes, problemAt(at, message))
}

// leaveOut notes that a part of the request is left out. If the part is required, leaveOut does not
// record a note but refuses the operation.
func (op *operation) leaveOut(at *node, required bool, reason string) *problem {
	if required {
		return problemAt(at, reason+"; a manifest cannot express that")
	}
	op.note(at, reason+", and is left out")
	return nil
}

// chooseServer sets the base URL: the first server of the operation, of its path, or of the
// document.
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

// parameters defines an argument for each parameter of the path and of the operation. A parameter
// of the operation replaces the parameter of the path with the same name and place.
func (op *operation) parameters() *problem {
	type key struct{ in, name string }
	own := make(map[key]*node)
	var order []key
	for _, list := range []*node{op.item.get("parameters"), op.node.get("parameters")} {
		if list != nil && list.kind != kindList {
			return problemAt(list, "parameters must be a list")
		}
		for _, p := range list.elements() {
			resolved, prob := op.read(p, "a parameter", parameterKeys)
			if prob != nil {
				return prob
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
		if prob := op.parameter(own[k], k.in, k.name); prob != nil {
			return prob
		}
	}
	op.arguments = append(op.arguments, body...)
	return nil
}

// parameter defines the argument for p. If a manifest cannot express p, parameter leaves out an
// optional p, and refuses the operation for a required p.
func (op *operation) parameter(p *node, in, name string) *problem {
	if in == "header" && slices.ContainsFunc([]string{"Accept", "Content-Type", "Authorization"}, func(h string) bool { return strings.EqualFold(h, name) }) {
		return nil // the OpenAPI specification says that such parameters are ignored
	}
	if op.hasSecret(in, name) {
		return nil // the host adds this parameter
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

// obstacle returns the reason why a manifest cannot express a parameter, or "" if it can.
func (op *operation) obstacle(p *node, in, name string) string {
	shape := op.shape(p.get("schema"))
	style := p.get("style").content()
	explode := p.get("explode")
	switch {
	case name == "":
		return "has no name"
	case p.get("content") != nil:
		return "is sent with a media type of its own"
	case in == "path" && style != "" && style != "simple", in == "header" && style != "" && style != "simple", in == "query" && style != "" && style != "form":
		return "has the style " + stricttoml.Quote(style)
	case shape == "object":
		return "is an object outside of the body"
	case shape == "array" && in != "query":
		return "is a list outside of query and body"
	case shape == "array" && explode.kindIs() == kindBoolean && !explode.isTrue():
		return "is a list that is sent as one value"
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

// shape returns the type that a schema names, or "" if it names none or several.
func (op *operation) shape(schema *node) string {
	n, prob := op.resolve(schema)
	if prob != nil {
		return "" // the error is reported when the schema is written
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
	// In some documents, operations of one path differ only in a fragment or a fixed query.
	path, fragment, _ := strings.Cut(op.path, "#")
	if fragment != "" {
		op.note(op.node, fmt.Sprintf("the fragment %s of the path is left out: it is not sent", stricttoml.Quote("#"+fragment)))
	}
	path, query, _ := strings.Cut(path, "?")
	if prob := op.fixedQuery(query); prob != nil {
		return prob
	}
	var b strings.Builder
	used := make(map[string]bool)
	for rest := path; rest != ""; {
		before, after, found := strings.Cut(rest, "{")
		b.WriteString(strings.ReplaceAll(before, "}", "}}"))
		if !found {
			break
		}
		name, tail, closed := strings.Cut(after, "}")
		argument, ok := op.inPath[name]
		if !closed || !ok {
			return problemAt(op.node, fmt.Sprintf("the path names %s, but no path parameter has that name", stricttoml.Quote("{"+name+"}")))
		}
		used[name] = true
		b.WriteString("{" + argument + "}")
		rest = tail
	}
	for name, argument := range op.inPath {
		if !used[name] {
			return problemAt(op.node, fmt.Sprintf("the path does not name its parameter %s (%s)", stricttoml.Quote(name), argument))
		}
	}
	op.request.Path = b.String()
	return nil
}

// fixedQuery adds the query that a path ends with.
func (op *operation) fixedQuery(query string) *problem {
	values, err := url.ParseQuery(query)
	if err != nil || strings.ContainsAny(query, "{}") {
		return problemAt(op.node, fmt.Sprintf("the path has the query %s; only a query with fixed values can be sent", stricttoml.Quote("?"+query)))
	}
	for name, list := range values {
		if _, twice := op.request.Query[name]; twice || len(list) > 1 {
			return problemAt(op.node, fmt.Sprintf("the path has a value for the parameter %s, which has another value already; remove one of the two", stricttoml.Quote(name)))
		}
		op.request.Query[name] = list[0]
	}
	return nil
}
