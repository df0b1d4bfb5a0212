package mcpserver

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// syncPrompts offers a prompt for each skill that the tool skill lists in its definition.
func (s *Server) syncPrompts() {
	listed := make(map[string]string)
	for _, p := range s.skills() {
		text, _ := json.Marshal(p) // strings can be encoded
		if listed[p.Name] = string(text); s.prompts[p.Name] != string(text) {
			s.mcp.AddPrompt(p, s.getPrompt)
		}
	}
	for name := range s.prompts {
		if _, there := listed[name]; !there {
			s.mcp.RemovePrompts(name)
		}
	}
	s.prompts = listed
}

// skills returns the skills as prompts, with the other parameters of the tool as arguments.
func (s *Server) skills() []*mcp.Prompt {
	if !s.offersTool(skillTool) {
		return nil
	}
	info, err := s.registry.Tools().Get(skillTool)
	var schema struct {
		Properties map[string]struct {
			Enum        []string
			Description string
		}
	}
	if err != nil || json.Unmarshal(info.Parameters, &schema) != nil {
		return nil
	}
	var prompts []*mcp.Prompt
	for _, name := range schema.Properties["name"].Enum {
		p := &mcp.Prompt{Name: name}
		if _, after, ok := strings.Cut(info.Description, "\n- "+name+": "); ok {
			p.Description, _, _ = strings.Cut(after, "\n")
		}
		if file, ok := schema.Properties["file"]; ok {
			p.Arguments = []*mcp.PromptArgument{{Name: "file", Description: file.Description}}
		}
		prompts = append(prompts, p)
	}
	return prompts
}

// getPrompt implements mcp.PromptHandler.
func (s *Server) getPrompt(ctx context.Context, req *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
	p := req.Params
	arguments := map[string]any{"name": p.Name}
	if file := p.Arguments["file"]; file != "" {
		arguments["file"] = file
	}
	out, err := s.perform(ctx, req, mcp.CallToolParamsRaw{Name: skillTool, InputResponses: p.InputResponses, RequestState: p.RequestState}, arguments, manner{asks: true})
	if err != nil {
		return nil, err
	}
	if out.InputRequests != nil {
		return &mcp.GetPromptResult{InputRequests: out.InputRequests, RequestState: out.RequestState}, nil
	}
	return &mcp.GetPromptResult{Messages: []*mcp.PromptMessage{{Role: "user", Content: &mcp.TextContent{Text: firstText(out)}}}}, nil
}

// filesOfSkill returns the files that the tool skill names after the instructions of a skill.
func (s *Server) filesOfSkill(ctx context.Context, req *mcp.CompleteRequest, name string) []string {
	out, err := s.perform(ctx, req, mcp.CallToolParamsRaw{Name: skillTool}, map[string]any{"name": name}, manner{})
	if err != nil {
		return nil
	}
	_, files, _ := strings.Cut(firstText(out), "\nFiles of this skill; read them with file:\n")
	var names []string
	for line := range strings.Lines(files) {
		names = append(names, strings.TrimPrefix(strings.TrimSpace(line), "- "))
	}
	return names
}
