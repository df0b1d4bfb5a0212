package mcpserver

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// The built-in tools behind resources and prompts. A request for a resource is a call of one of
// them, so that there is one way to the files: the same decisions, history and receipts.
const (
	builtinSource = "builtin"
	readTool      = "read"
	listTool      = "list"
	globTool      = "glob"
	resultTool    = "read_result"
	skillTool     = "skill"
)

// The templates of resources. A path is what the tool read accepts: relative to the workspace, or
// absolute. An offset is the number of a line, or of a byte of a stored result.
const (
	fileScheme     = "workspace"
	fileTemplate   = fileScheme + ":///{+path}{?offset}"
	resultScheme   = "result"
	resultTemplate = resultScheme + ":///{handle}{?offset}"
)

// maxListed is the number of files that are listed. It is the maximum of the tool glob.
const maxListed = 1000

// offersTool reports whether a built-in tool is listed and gets what it requests, so that calls may
// succeed. Tenants may have less.
func (s *Server) offersTool(name string) bool {
	info, err := s.registry.Tools().Get(name)
	if err != nil || info.Disabled || info.Name != name || info.Source != builtinSource {
		return false
	}
	access, err := s.registry.Access(context.Background(), name, "")
	return err == nil && len(access.Missing) == 0
}

// syncResources offers the templates whose tool is offered.
func (s *Server) syncResources() {
	for name, t := range map[string]*mcp.ResourceTemplate{
		readTool:   {Name: "file", Title: "File of the workspace", URITemplate: fileTemplate, Description: "A file or directory of the workspace. Long files come in parts; offset is the number of the first line."},
		resultTool: {Name: "result", Title: "Stored result", URITemplate: resultTemplate, Description: "The full text of an earlier result of this session, by its handle. offset is a number of bytes."},
	} {
		if offered := s.offersTool(name); offered != s.templates[name] {
			s.templates[name] = offered
			if offered {
				s.mcp.AddResourceTemplate(t, s.readResource)
			} else {
				s.mcp.RemoveResourceTemplates(t.URITemplate)
			}
		}
	}
}

// perform runs a call for a request that is not a call of a tool. Unless it may ask, a call that
// needs an approval is denied at once. A call without a session is never refused as a repetition.
func (s *Server) perform(ctx context.Context, of mcp.Request, p mcp.CallToolParamsRaw, arguments map[string]any, m manner) (*mcp.CallToolResult, error) {
	p.Arguments, _ = json.Marshal(arguments) // strings and numbers can be encoded
	p.Meta = of.GetParams().GetMeta()
	m.use = useDetails
	session, _ := of.GetSession().(*mcp.ServerSession)
	out, err := s.call(ctx, &mcp.CallToolRequest{Session: session, Params: &p, Extra: of.GetExtra()}, m)
	if err == nil && out.IsError {
		data, _ := json.Marshal(map[string]any{"code": out.Meta[metaCode]}) // it never fails
		err = &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: firstText(out), Data: data}
	}
	return out, err
}

// firstText returns the text of a result without the notes for a model.
func firstText(out *mcp.CallToolResult) string {
	for _, c := range out.Content {
		if text, ok := c.(*mcp.TextContent); ok {
			return text.Text
		}
	}
	return ""
}

// structuredOf decodes the structured result of a call.
func structuredOf(out *mcp.CallToolResult, to any) error {
	raw, _ := out.Meta[metaStructured].(json.RawMessage)
	return json.Unmarshal(raw, to)
}

// readResource implements mcp.ResourceHandler for both templates.
func (s *Server) readResource(ctx context.Context, req *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
	p := req.Params
	u, err := url.Parse(p.URI)
	if err != nil || u.Host != "" || len(u.Path) < 2 {
		return nil, mcp.ResourceNotFoundError(p.URI)
	}
	name, arguments, m := readTool, map[string]any{"file_path": u.Path[1:]}, manner{asks: true}
	if u.Scheme == resultScheme {
		name, arguments, m.session = resultTool, map[string]any{"handle": u.Path[1:]}, s.sessions.name(req.Session)
	}
	if offset, err := strconv.Atoi(u.Query().Get("offset")); err == nil {
		arguments["offset"] = offset
	}
	out, err := s.perform(ctx, req, mcp.CallToolParamsRaw{Name: name, InputResponses: p.InputResponses, RequestState: p.RequestState}, arguments, m)
	if err != nil {
		return nil, err
	}
	if out.InputRequests != nil {
		return &mcp.ReadResourceResult{InputRequests: out.InputRequests, RequestState: out.RequestState}, nil
	}
	contents := &mcp.ResourceContents{URI: p.URI, MIMEType: "text/plain", Text: firstText(out), Meta: out.Meta}
	var read struct{ Kind string }
	if structuredOf(out, &read) == nil && (read.Kind == "text" || read.Kind == "pdf") {
		contents.Text = withoutNumbers(contents.Text)
	}
	for _, c := range out.Content {
		if image, ok := c.(*mcp.ImageContent); ok {
			contents.MIMEType, contents.Text, contents.Blob = image.MIMEType, "", image.Data
		}
	}
	return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{contents}}, nil
}

// withoutNumbers removes the numbers that the tool read writes before lines. The note after the
// last line of a part stays.
func withoutNumbers(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		number, rest, ok := strings.Cut(line, "\t")
		if _, err := strconv.Atoi(strings.TrimLeft(number, " ")); ok && err == nil {
			line = rest
		}
		b.WriteString(line)
	}
	return b.String()
}

// listResources lists the files that were changed last. Other files can be read as well. A client
// that may not list files gets an empty list.
func (s *Server) listResources(ctx context.Context, req *mcp.ListResourcesRequest) (*mcp.ListResourcesResult, error) {
	if req.Params == nil {
		req.Params = &mcp.ListResourcesParams{}
	}
	begin := 0
	if cursor := req.Params.Cursor; cursor != "" {
		var err error
		if begin, err = strconv.Atoi(cursor); err != nil || begin < 0 || begin > maxListed {
			return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "the cursor is not from this list"}
		}
	}
	list := &mcp.ListResourcesResult{Resources: []*mcp.Resource{}, Cacheable: mcp.Cacheable{CacheScope: "private"}}
	if !s.offersTool(readTool) || !s.offersTool(globTool) {
		return list, nil
	}
	var found struct{ Files []string }
	out, err := s.perform(ctx, req, mcp.CallToolParamsRaw{Name: globTool}, map[string]any{"pattern": "**/*", "limit": maxListed}, manner{})
	if err != nil || structuredOf(out, &found) != nil {
		return list, nil
	}
	end := min(begin+s.opts.PageSize, len(found.Files))
	for _, path := range found.Files[min(begin, end):end] {
		u := url.URL{Scheme: fileScheme, Path: "/" + path}
		list.Resources = append(list.Resources, &mcp.Resource{URI: u.String(), Name: path})
	}
	if end < len(found.Files) {
		list.NextCursor = fmt.Sprint(end)
	}
	return list, nil
}

// maxCompletions is the maximum number of values of a completion (MCP 2025-11-25, Completion).
const maxCompletions = 100

// complete completes paths of files, and the files of skills.
func (s *Server) complete(ctx context.Context, req *mcp.CompleteRequest) (*mcp.CompleteResult, error) {
	argument, ref := req.Params.Argument, req.Params.Ref
	var candidates []string
	switch {
	case ref.URI == fileTemplate && argument.Name == "path" && s.offersTool(listTool):
		candidates = s.paths(ctx, req, argument.Value)
	case ref.Type == "ref/prompt" && argument.Name == "file" && s.offersTool(skillTool):
		candidates = s.filesOfSkill(ctx, req, ref.Name)
	}
	details := mcp.CompletionResultDetails{Values: []string{}}
	for _, c := range candidates {
		if !strings.HasPrefix(c, argument.Value) {
			continue
		}
		if details.Total++; details.Total <= maxCompletions {
			details.Values = append(details.Values, c)
		}
	}
	details.HasMore = details.Total > maxCompletions
	return &mcp.CompleteResult{Completion: details}, nil
}

// paths returns the entries of the directory that a path begins with.
func (s *Server) paths(ctx context.Context, req *mcp.CompleteRequest, value string) []string {
	at := strings.LastIndexByte(value, '/')
	arguments := map[string]any{"depth": 1, "limit": 2000, "include_hidden": strings.HasPrefix(value[at+1:], ".")}
	if at > 0 {
		arguments["path"] = value[:at]
	}
	var found struct{ Entries []struct{ Path, Kind string } }
	out, err := s.perform(ctx, req, mcp.CallToolParamsRaw{Name: listTool}, arguments, manner{})
	if err != nil || structuredOf(out, &found) != nil {
		return nil
	}
	var paths []string
	for _, e := range found.Entries {
		if e.Kind == "directory" {
			e.Path += "/"
		}
		paths = append(paths, e.Path)
	}
	return paths
}
