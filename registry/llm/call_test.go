package llm_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/registry"
	"github.com/wasmtool/wasmtool/registry/catalogue"
	"github.com/wasmtool/wasmtool/registry/llm"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// executor answers calls with a function and records them.
type executor struct {
	run   func(ctx context.Context, call tool.Call) (tool.Result, error)
	mu    sync.Mutex
	calls []tool.Call
}

func (e *executor) Execute(ctx context.Context, call tool.Call) (tool.Result, error) {
	e.mu.Lock()
	e.calls = append(e.calls, call)
	e.mu.Unlock()
	if e.run == nil {
		return tool.Result{Content: []tool.Content{tool.TextContent(call.Tool + " got " + string(call.Arguments))}}, nil
	}
	return e.run(ctx, call)
}

// weatherAndMove returns three tools: weather only reads, move writes, and native runs outside
// the sandbox, so its effects are unknown.
func weatherAndMove() []catalogue.Info {
	weather := info("weather", `{"type":"object","required":["city"],"properties":{"city":{"type":"string"},"days":{"type":"integer"}}}`)
	weather.Sandboxed = true
	move := info("move", `{"type":"object","properties":{"to":{"type":"string"}}}`)
	move.Permissions = capability.Permissions{FS: []capability.FS{{Mount: "workspace", Mode: capability.ModeWrite}}}
	move.Sandboxed = true
	return []catalogue.Info{weather, move, info("native", `{"type":"object"}`)}
}

func newTools(t *testing.T, format llm.Format, o llm.Options) *llm.Tools {
	t.Helper()
	tools, err := llm.New(format, weatherAndMove(), o)
	if err != nil {
		t.Fatal(err)
	}
	return tools
}

const png = "\x89PNG"

// The messages with results have the form that each provider documents.
func TestAnswerReturnsTheMessagesOfEachProvider(t *testing.T) {
	t.Parallel()
	replies := func(_ context.Context, call tool.Call) (tool.Result, error) {
		if strings.Contains(string(call.Arguments), "nowhere") {
			return tool.Result{IsError: true, Content: []tool.Content{tool.TextContent("weather: no such city")}}, errors.New("no such city")
		}
		return tool.Result{Content: []tool.Content{tool.TextContent("21 C"), {Type: tool.ContentImage, Data: []byte(png), MIMEType: "image/png"}}}, nil
	}
	for name, test := range map[string]struct {
		format  llm.Format
		message string
		want    []string
	}{
		"OpenAI": {
			llm.OpenAI,
			`{"id":"r","choices":[{"index":0,"finish_reason":"tool_calls","message":{"role":"assistant","content":"Let me look.","refusal":null,"tool_calls":[
				{"id":"call_1","type":"function","function":{"name":"weather","arguments":"{\"city\":\"Rome\"}"}},
				{"id":"call_2","type":"function","function":{"name":"weather","arguments":"{\"city\":\"nowhere\"}"}}]}}]}`,
			[]string{
				`{"role":"assistant","content":"Let me look.","refusal":null,"tool_calls":[{"id":"call_1","type":"function","function":{"name":"weather","arguments":"{\"city\":\"Rome\"}"}},{"id":"call_2","type":"function","function":{"name":"weather","arguments":"{\"city\":\"nowhere\"}"}}]}`,
				`{"role":"tool","tool_call_id":"call_1","content":"21 C"}`,
				`{"role":"tool","tool_call_id":"call_2","content":"Error: weather: no such city"}`,
				`{"role":"user","content":[{"type":"text","text":"Images that weather returned, call call_1:"},{"type":"image_url","image_url":{"url":"data:image/png;base64,iVBORw=="}}]}`,
			},
		},
		"Responses": {
			llm.OpenAIResponses,
			`{"id":"resp","error":null,"output":[{"type":"reasoning","id":"rs_1","summary":[]},{"type":"message","role":"assistant","content":[{"type":"output_text","text":"Let me look."}]},
				{"type":"function_call","id":"fc_1","call_id":"call_1","name":"weather","arguments":"{\"city\":\"Rome\"}"},
				{"type":"function_call","id":"fc_2","call_id":"call_2","name":"weather","arguments":"{\"city\":\"nowhere\"}"}]}`,
			[]string{
				`{"type":"reasoning","id":"rs_1","summary":[]}`,
				`{"type":"message","role":"assistant","content":[{"type":"output_text","text":"Let me look."}]}`,
				`{"type":"function_call","id":"fc_1","call_id":"call_1","name":"weather","arguments":"{\"city\":\"Rome\"}"}`,
				`{"type":"function_call","id":"fc_2","call_id":"call_2","name":"weather","arguments":"{\"city\":\"nowhere\"}"}`,
				`{"type":"function_call_output","call_id":"call_1","output":[{"type":"input_text","text":"21 C"},{"type":"input_image","image_url":"data:image/png;base64,iVBORw=="}]}`,
				`{"type":"function_call_output","call_id":"call_2","output":"Error: weather: no such city"}`,
			},
		},
		"Anthropic": {
			llm.Anthropic,
			`{"id":"msg_1","type":"message","role":"assistant","model":"m","stop_reason":"tool_use","content":[{"type":"thinking","thinking":"...","signature":"s<>&"},{"type":"text","text":"Let me look."},
				{"type":"tool_use","id":"toolu_1","name":"weather","input":{"city":"Rome"}},{"type":"tool_use","id":"toolu_2","name":"weather","input":{"city":"nowhere"}}]}`,
			[]string{
				`{"role":"assistant","content":[{"type":"thinking","thinking":"...","signature":"s<>&"},{"type":"text","text":"Let me look."},{"type":"tool_use","id":"toolu_1","name":"weather","input":{"city":"Rome"}},{"type":"tool_use","id":"toolu_2","name":"weather","input":{"city":"nowhere"}}]}`,
				`{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_1","content":[{"type":"text","text":"21 C"},{"type":"image","source":{"type":"base64","media_type":"image/png","data":"iVBORw=="}}]},{"type":"tool_result","tool_use_id":"toolu_2","content":[{"type":"text","text":"weather: no such city"}],"is_error":true}]}`,
			},
		},
		"Gemini": {
			llm.Gemini,
			`{"candidates":[{"finishReason":"STOP","content":{"role":"model","parts":[{"text":"Hm.","thought":true},{"text":"Let me look."},
				{"functionCall":{"name":"weather","args":{"city":"Rome"}},"thoughtSignature":"abc="},{"functionCall":{"id":"c2","name":"weather","args":{"city":"nowhere"}}}]}}]}`,
			[]string{
				`{"role":"model","parts":[{"text":"Hm.","thought":true},{"text":"Let me look."},{"functionCall":{"name":"weather","args":{"city":"Rome"}},"thoughtSignature":"abc="},{"functionCall":{"id":"c2","name":"weather","args":{"city":"nowhere"}}}]}`,
				`{"role":"user","parts":[{"functionResponse":{"name":"weather","response":{"output":"21 C"},"parts":[{"inlineData":{"mimeType":"image/png","data":"iVBORw=="}}]}},{"functionResponse":{"id":"c2","name":"weather","response":{"error":"weather: no such city"}}}]}`,
			},
		},
		"Mistral": {
			llm.Mistral,
			`{"choices":[{"message":{"role":"assistant","content":"Let me look.","tool_calls":[
				{"id":"D681PevKs","function":{"name":"weather","arguments":"{\"city\":\"Rome\"}"}},{"id":"D681PevKt","function":{"name":"weather","arguments":{"city":"nowhere"}}}]}}]}`,
			[]string{
				`{"role":"assistant","content":"Let me look.","tool_calls":[{"id":"D681PevKs","function":{"name":"weather","arguments":"{\"city\":\"Rome\"}"}},{"id":"D681PevKt","function":{"name":"weather","arguments":{"city":"nowhere"}}}]}`,
				`{"role":"tool","tool_call_id":"D681PevKs","name":"weather","content":[{"type":"text","text":"21 C"},{"type":"image_url","image_url":"data:image/png;base64,iVBORw=="}]}`,
				`{"role":"tool","tool_call_id":"D681PevKt","name":"weather","content":"Error: weather: no such city"}`,
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			turn, err := newTools(t, test.format, llm.Options{}).Answer(t.Context(), &executor{run: replies}, []byte(test.message), llm.AnswerOptions{})
			if err != nil {
				t.Fatal(err)
			}
			if turn.Text != "Let me look." || len(turn.Calls) != 2 || len(turn.Results) != 2 || !turn.Results[1].IsError {
				t.Errorf("turn %+v", turn)
			}
			for i := range max(len(turn.Messages), len(test.want)) {
				if i >= len(turn.Messages) || i >= len(test.want) || compact(t, turn.Messages[i]) != test.want[i] {
					t.Fatalf("message %d:\ngot  %s\nwant %s", i, turn.Messages, test.want)
				}
			}
		})
	}
}

// compact returns JSON without white space.
func compact(t *testing.T, text []byte) string {
	t.Helper()
	var b bytes.Buffer
	if err := json.Compact(&b, text); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// A call that fails gets a result with a message for the model, so the loop can continue.
func TestInvalidCallGetsAResult(t *testing.T) {
	t.Parallel()
	reg := registry.New(registry.Options{})
	t.Cleanup(func() { _ = reg.Close() })
	for _, i := range weatherAndMove() {
		if err := reg.Tools().Register(i.Spec, echoExecutor{}); err != nil {
			t.Fatal(err)
		}
	}
	hidden := info("hidden", `{"type":"object"}`)
	if err := reg.Tools().Register(hidden.Spec, echoExecutor{}); err != nil {
		t.Fatal(err)
	}
	tools := newTools(t, llm.OpenAI, llm.Options{})
	for name, test := range map[string]struct{ tool, arguments, want string }{
		"cut JSON":             {"weather", `{"city": "Ro`, "invalid arguments"},
		"no JSON":              {"weather", `city=Rome`, "invalid arguments"},
		"nothing":              {"weather", ``, `parameter "city" is required but missing`},
		"a field of two names": {"weather", `{"city":"a","city":"b"}`, "city"},
		"wrong type":           {"weather", `{"city":5.5e3000}`, "invalid arguments"},
		"unknown tool":         {"wether", `{}`, "did you mean weather?"},
		"not offered":          {"hidden", `{}`, `the tool "hidden" does not exist`},
		"no name":              {"", `{}`, "the tools are: weather, move, native"},
		"another spelling":     {" Weather ", `{"city":"Rome"}`, `{"city":"Rome"}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			turn, err := tools.Answer(t.Context(), reg, []byte(callMessage(llm.OpenAI, test.tool, test.arguments)), llm.AnswerOptions{})
			if err != nil {
				t.Fatal(err)
			}
			if len(turn.Messages) != 2 || !strings.Contains(turn.Results[0].Text(), test.want) {
				t.Errorf("answered %s, want %q", turn.Messages, test.want)
			}
			if turn.Results[0].IsError != (name != "another spelling") {
				t.Errorf("the result is %+v", turn.Results[0])
			}
		})
	}
}

// echoExecutor returns the arguments as the result.
type echoExecutor struct{}

func (echoExecutor) Prepare(context.Context) error { return nil }

func (echoExecutor) Execute(_ context.Context, in tool.Invocation) (tool.Result, error) {
	return tool.Result{Content: []tool.Content{tool.TextContent(string(in.Arguments))}}, nil
}

func (echoExecutor) Close() error { return nil }

// A null that stands for an omitted field is removed, but a null that the tool accepts stays.
// Renamed fields get their original names back. Everything else stays as the model wrote it.
func TestArgumentsAreConvertedBack(t *testing.T) {
	t.Parallel()
	const schema = `{"type":"object","required":["a"],"properties":{
		"a":{"type":["string","null"]},
		"b":{"type":"integer"},
		"list":{"type":"array","items":{"type":"object","properties":{"c":{"type":"string"},"n":{"type":["integer","null"]}},"additionalProperties":false}},
		"some":{"anyOf":[{"type":"object","required":["k"],"properties":{"k":{"const":1},"x":{"type":"string"}},"additionalProperties":false},
			{"type":"object","required":["k"],"properties":{"k":{"const":2},"y":{"type":"number"}},"additionalProperties":false}]}},"additionalProperties":false}`
	for name, test := range map[string]struct {
		mode       mode
		schema     string
		sent, want string
	}{
		"nulls":     {mode{llm.OpenAI, true}, schema, `{"a":null,"b":null,"list":null,"some":null}`, `{"a":null}`},
		"in lists":  {mode{llm.OpenAI, true}, schema, `{"a":"", "list":[{"c":null,"n":null},{"c":"x","n":1}]}`, `{"a":"","list":[{"n":null},{"c":"x","n":1}]}`},
		"in unions": {mode{llm.OpenAI, true}, schema, `{"a":"x","some":{"k":1,"x":null}}`, `{"a":"x","some":{"k":1}}`},
		"literals":  {mode{llm.OpenAI, true}, schema, `{"a":"\u00e9\/","b":12345678901234567890,"list":[ 1.10 ]}`, `{"a":"\u00e9\/","b":12345678901234567890,"list":[1.10]}`},
		"not strict": {
			mode{llm.OpenAI, false},
			schema, `{ "a": null, "b": null }`, `{ "a": null, "b": null }`,
		},
		"names": {
			mode{llm.Gemini, false},
			`{"type":"object","properties":{"user-id":{"type":"object","additionalProperties":{"type":"object","properties":{"$f":{"type":"string"}}}}}}`,
			`{"user_id_a7571dde":{"any":{"_f_dda9a73f":"x"}}}`, `{"user-id":{"any":{"$f":"x"}}}`,
		},
		"no JSON":    {mode{llm.OpenAI, true}, schema, `{"b":null`, `{"b":null`},
		"other JSON": {mode{llm.OpenAI, true}, schema, `[null]`, `[null]`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tools, err := llm.New(test.mode.format, []catalogue.Info{info("made_up", test.schema)}, llm.Options{Strict: test.mode.strict})
			if err != nil {
				t.Fatal(err)
			}
			calls, err := tools.Calls([]byte(callMessage(test.mode.format, "made_up", test.sent)))
			if err != nil {
				t.Fatal(err)
			}
			if got := string(calls[0].Arguments); got != test.want {
				t.Errorf("got  %s\nwant %s\ndefinition %s", got, test.want, tools.Definitions())
			}
		})
	}
}

// Adjacent calls that only read run concurrently, and every other call runs alone. The results
// are in the order of the calls.
func TestReadingCallsRunConcurrently(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		tools := newTools(t, llm.Anthropic, llm.Options{})
		started := time.Now()
		at := map[string]time.Duration{}
		var mu sync.Mutex
		e := &executor{run: func(_ context.Context, call tool.Call) (tool.Result, error) {
			mu.Lock()
			at[string(call.Arguments)] = time.Since(started)
			mu.Unlock()
			var a struct{ Wait time.Duration }
			if err := json.Unmarshal(call.Arguments, &a); err != nil {
				return tool.Result{}, err
			}
			<-time.After(a.Wait * time.Second)
			return tool.Result{Content: []tool.Content{tool.TextContent(string(call.Arguments))}}, nil
		}}
		var blocks []string
		for i, name := range []string{"weather", "weather", "move", "native", "weather", "weather"} {
			blocks = append(blocks, fmt.Sprintf(`{"type":"tool_use","id":"t%d","name":%q,"input":{"Wait":%d}}`, i, name, 6-i))
		}
		turn, err := tools.Answer(t.Context(), e, []byte(`{"role":"assistant","content":[`+strings.Join(blocks, ",")+`]}`), llm.AnswerOptions{})
		if err != nil {
			t.Fatal(err)
		}
		began := []time.Duration{0, 0, 6, 6 + 4, 6 + 4 + 3, 6 + 4 + 3}
		for i, result := range turn.Results {
			arguments := fmt.Sprintf(`{"Wait":%d}`, 6-i)
			if want := began[i] * time.Second; at[arguments] != want {
				t.Errorf("%s began after %v, want %v", arguments, at[arguments], want)
			}
			if got, want := result.Text(), arguments; got != want {
				t.Errorf("result %d is %s, want %s", i, got, want)
			}
		}
	})
}

// Tenant and session of a call come from the caller, never from the model.
func TestCallsHaveTheCallersTenantAndSession(t *testing.T) {
	t.Parallel()
	e := &executor{}
	like := tool.Call{ID: "mine", Tool: "move", Arguments: json.RawMessage(`{}`), Tenant: "t", Session: "s"}
	_, err := newTools(t, llm.OpenAI, llm.Options{}).Answer(t.Context(), e, []byte(callMessage(llm.OpenAI, "weather", `{"city":"Rome"}`)), llm.AnswerOptions{Call: like})
	if err != nil {
		t.Fatal(err)
	}
	got := e.calls[0]
	if got.Tenant != "t" || got.Session != "s" || got.Tool != "weather" || string(got.Arguments) != `{"city":"Rome"}` || got.ID != "" {
		t.Errorf("the call is %+v", got)
	}
}

func TestTooManyCalls(t *testing.T) {
	t.Parallel()
	block := `{"type":"tool_use","id":"t","name":"weather","input":{"city":"Rome"}}`
	e := &executor{}
	turn, err := newTools(t, llm.Anthropic, llm.Options{}).Answer(t.Context(), e,
		[]byte(`{"role":"assistant","content":[`+strings.Repeat(block+",", llm.MaxCalls)+block+`]}`), llm.AnswerOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if len(e.calls) != llm.MaxCalls || len(turn.Results) != llm.MaxCalls+1 || !strings.Contains(turn.Results[llm.MaxCalls].Text(), "too many calls") {
		t.Errorf("%d calls and %d results", len(e.calls), len(turn.Results))
	}
}

// Every result has a text to send, for any result or error of the executor.
func TestEveryResultHasText(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		result tool.Result
		err    error
		want   string
	}{
		"nothing":         {want: `"text":"(no output)"`},
		"structured only": {result: tool.Result{Structured: json.RawMessage(`{"n":12345678901234567890}`)}, want: `"text":"{\"n\":12345678901234567890}"`},
		"an odd image": {
			result: tool.Result{Content: []tool.Content{{Type: tool.ContentImage, MIMEType: "image/tiff", Data: []byte("x")}}},
			want:   `"text":"(see the image)"},{"type":"text","text":"(an image is left out: the type \"image/tiff\" cannot be shown)"}`,
		},
		"warnings":           {result: tool.Result{Content: []tool.Content{tool.TextContent("21 C\n")}, Warnings: []string{"a", "b"}}, want: `"text":"21 C\nnote: a\nnote: b"`},
		"warnings alone":     {result: tool.Result{Warnings: []string{"a"}}, want: `"text":"(no output)\nnote: a"`},
		"warnings of errors": {result: tool.Result{IsError: true, Content: []tool.Content{tool.TextContent("no city")}, Warnings: []string{"a"}}, err: tool.Errorf(tool.CodeServer, "x"), want: `"text":"no city\nnote: a"}],"is_error":true`},
		"audio": {
			result: tool.Result{Content: []tool.Content{tool.AudioContent([]byte("x"), "audio/wav")}, Structured: json.RawMessage(`{"n":1}`)},
			want:   `"text":"{\"n\":1}\n(an audio file is left out: the type \"audio/wav\" cannot be shown)"`,
		},
		"resources": {
			result: tool.Result{Content: []tool.Content{
				tool.ResourceContent(tool.Resource{URI: "file:///a.txt", Text: "a"}), tool.TextContent("b"),
				tool.LinkContent(tool.Resource{URI: "file:///c.txt", Name: "c"}),
				tool.ResourceContent(tool.Resource{URI: "file:///d.pdf", MIMEType: "application/pdf", Blob: []byte("x")}),
				tool.ResourceContent(tool.Resource{URI: "file:///e.png", MIMEType: "image/png", Blob: []byte("x")}),
			}},
			want: `"text":"(content of file:///a.txt)\na\nb\n(link to \"c\": file:///c.txt)\n(the content of file:///d.pdf is left out: the type \"application/pdf\" cannot be shown)"},` +
				`{"type":"image","source":{"type":"base64","media_type":"image/png","data":"eA=="}}`,
		},
		"an error alone":  {err: &tool.Error{Code: tool.CodeTimeout, Tool: "weather", Message: "took too long"}, want: `"text":"weather: took too long"}],"is_error":true`},
		"another's error": {err: errors.New("dial /home/me/secret.sock"), want: `"text":"weather: the call failed"}],"is_error":true`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := &executor{run: func(context.Context, tool.Call) (tool.Result, error) { return test.result, test.err }}
			turn, err := newTools(t, llm.Anthropic, llm.Options{}).Answer(t.Context(), e, []byte(callMessage(llm.Anthropic, "weather", `{"city":"Rome"}`)), llm.AnswerOptions{})
			if err != nil {
				t.Fatal(err)
			}
			if got := string(turn.Messages[1]); !strings.Contains(got, test.want) {
				t.Errorf("got %s, want %s", got, test.want)
			}
		})
	}
}

func TestMessagesWithoutCalls(t *testing.T) {
	t.Parallel()
	for format, message := range map[llm.Format]string{
		llm.OpenAI:          `{"role":"assistant","content":"Done."}`,
		llm.OpenAIResponses: `[{"type":"message","role":"assistant","content":[{"type":"output_text","text":"Done."}]}]`,
		llm.Anthropic:       `{"role":"assistant","content":"Done."}`,
		llm.Gemini:          `{"role":"model","parts":[{"text":"Done."}]}`,
		llm.Mistral:         `{"choices":[{"message":{"role":"assistant","content":[{"type":"text","text":"Done."}],"tool_calls":null}}]}`,
	} {
		turn, err := newTools(t, format, llm.Options{}).Answer(t.Context(), &executor{}, []byte(message), llm.AnswerOptions{})
		if err != nil || turn.Text != "Done." || len(turn.Calls) != 0 || len(turn.Messages) != 1 {
			t.Errorf("%s: %+v, %v", format, turn, err)
		}
	}
	// A response that ended before the model produced anything has no message to send back.
	for format, message := range map[llm.Format]string{
		llm.Anthropic: `{"role":"assistant","content":[]}`,
		llm.Gemini:    `{"candidates":[{"finishReason":"STOP"}]}`,
	} {
		turn, err := newTools(t, format, llm.Options{}).Answer(t.Context(), &executor{}, []byte(message), llm.AnswerOptions{})
		if err != nil || len(turn.Messages) != 0 {
			t.Errorf("%s: %+v, %v", format, turn, err)
		}
	}
}

// A message without an answer is an error with the reason that the provider gives. A refusal in
// words is text.
func TestStopWithoutAnswerIsAnErrorWithItsReason(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		format        llm.Format
		message, want string
	}{
		{llm.Gemini, `{"candidates":[{"content":{},"finishReason":"MALFORMED_FUNCTION_CALL","finishMessage":"Malformed function call: print(weather"}]}`, "MALFORMED_FUNCTION_CALL: Malformed function call: print(weather"},
		{llm.Gemini, `{"candidates":[{"finishReason":"SAFETY"}]}`, "reason SAFETY"},
		{llm.Gemini, `{"candidates":[{"content":{"role":"model","parts":[]},"finishReason":"MAX_TOKENS"}]}`, "MAX_TOKENS"},
		{llm.Gemini, `{"promptFeedback":{"blockReason":"PROHIBITED_CONTENT"}}`, "PROHIBITED_CONTENT"},
		{llm.OpenAI, `{"choices":[{"finish_reason":"content_filter","message":{"role":"assistant","content":null}}]}`, "content_filter"},
		{llm.OpenAI, `{"choices":[{"finish_reason":"length","message":{"role":"assistant","content":""}}]}`, "length"},
		{llm.OpenAI, `{"choices":[{"finish_reason":"function_call","message":{"role":"assistant","content":null,"function_call":{"name":"weather","arguments":"{}"}}}]}`, "send the definitions as tools"},
		{llm.OpenAIResponses, `{"status":"incomplete","incomplete_details":{"reason":"max_output_tokens"},"output":[{"type":"reasoning","summary":[]}]}`, "max_output_tokens"},
		{llm.OpenAIResponses, `{"status":"failed","error":{"code":"server_error","message":"Try again."},"output":[]}`, "server_error"},
		{llm.Anthropic, `{"role":"assistant","content":[],"stop_reason":"refusal"}`, "refusal"},
		{llm.Mistral, `{"choices":[{"finish_reason":"model_length","message":{"role":"assistant","content":""}}]}`, "model_length"},
	} {
		_, err := newTools(t, test.format, llm.Options{}).Answer(t.Context(), &executor{}, []byte(test.message), llm.AnswerOptions{})
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: got %v, want %q", test.message, err, test.want)
		}
	}
	for format, message := range map[llm.Format]string{
		llm.OpenAI:          `{"choices":[{"finish_reason":"stop","message":{"role":"assistant","content":null,"refusal":"I can't."}}]}`,
		llm.OpenAIResponses: `{"output":[{"type":"message","role":"assistant","content":[{"type":"refusal","refusal":"I can't."}]}]}`,
		llm.Gemini:          `{"candidates":[{"content":{"role":"model","parts":[{"text":"I can't."}]},"finishReason":"SAFETY"}]}`,
	} {
		turn, err := newTools(t, format, llm.Options{}).Answer(t.Context(), &executor{}, []byte(message), llm.AnswerOptions{})
		if err != nil || turn.Text != "I can't." {
			t.Errorf("%s: got %+v, %v", message, turn, err)
		}
	}
}

func TestAnswerRefusesOtherMessages(t *testing.T) {
	t.Parallel()
	for _, m := range modes() {
		tools := newTools(t, m.format, llm.Options{})
		for message, want := range map[string]string{
			`{"error":{"type":"overloaded","message":"Overloaded"}}`: "Overloaded",
			`data: {"choices":[]}`: string(m.format),
			`{}`:                   "not of a stream",
			``:                     string(m.format),
		} {
			_, err := tools.Answer(t.Context(), &executor{}, []byte(message), llm.AnswerOptions{})
			if err == nil || m.format != llm.MCP && !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %s: %v, want %q", m, message, err, want)
			}
		}
	}
}

func TestAnswerStopsWithItsContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	e := &executor{run: func(context.Context, tool.Call) (tool.Result, error) {
		cancel()
		return tool.Result{}, ctx.Err()
	}}
	_, err := newTools(t, llm.Gemini, llm.Options{}).Answer(ctx, e, []byte(callMessage(llm.Gemini, "move", `{}`)), llm.AnswerOptions{})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

// For any message of a provider, each call gets exactly one result, and nothing panics.
func FuzzAnswer(f *testing.F) {
	for i, m := range modes() {
		f.Add(i, []byte(callMessage(m.format, "weather", `{"city":"Rome","days":null}`)))
		f.Add(i, []byte(`{"choices":[{}],"output":[{}],"content":[{}],"candidates":[{}],"parts":[{}],"role":"assistant"}`))
	}
	f.Add(0, []byte(`{"role":"assistant","tool_calls":[null,{"function":null},{"id":"x","function":{"arguments":[1]}}]}`))
	f.Fuzz(func(t *testing.T, i int, message []byte) {
		m := modes()[max(i, -(i+1))%len(modes())]
		tools, err := llm.New(m.format, weatherAndMove(), llm.Options{Strict: m.strict})
		if err != nil {
			t.Fatal(err)
		}
		turn, err := tools.Answer(t.Context(), &executor{}, message, llm.AnswerOptions{})
		if err != nil {
			return
		}
		if len(turn.Results) != len(turn.Calls) {
			t.Errorf("%d results for %d calls", len(turn.Results), len(turn.Calls))
		}
		for _, sent := range turn.Messages {
			if !json.Valid(sent) {
				t.Errorf("not JSON: %q", sent)
			}
		}
	})
}
