package native_test

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"math/big"
	"net/netip"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/wasmtool/wasmtool/registry"
	"github.com/wasmtool/wasmtool/registry/executor/native"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// named returns the options of a tool with the given name.
func named(name string) native.Options {
	return native.Options{Spec: tool.Spec{Name: name, Description: "Does something."}}
}

// register returns a function that makes a Registry with one tool.
func register(t *testing.T, o registry.Options) func(spec tool.Spec, e tool.Executor, err error) *registry.Registry {
	return func(spec tool.Spec, e tool.Executor, err error) *registry.Registry {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		r := registry.New(o)
		if err := r.Tools().Register(spec, e); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = r.Close() })
		return r
	}
}

func call(r *registry.Registry, name, arguments string) (tool.Result, error) {
	return r.Execute(context.Background(), tool.Call{Tool: name, Arguments: json.RawMessage(arguments)})
}

func failure(t *testing.T, err error, code tool.Code) *tool.Error {
	t.Helper()
	var e *tool.Error
	if !errors.As(err, &e) || e.Code != code {
		t.Fatalf("got %v (%s), want the code %s", err, tool.CodeOf(err), code)
	}
	return e
}

type city struct {
	Name  string  `json:"name" jsonschema:"The city."`
	Since *int    `json:"since,omitempty"`
	Tags  []tag   `json:"tags,omitempty"`
	Any   any     `json:"any,omitempty"`
	Raw   []byte  `json:"raw,omitempty"`
	Ratio float64 `json:"ratio,omitempty"`
	Small int8    `json:"small,omitempty"`
	Count uint64  `json:"count,omitempty"`
}

type tag struct {
	Key string     `json:"key"`
	IP  netip.Addr `json:"ip,omitzero"`
}

type answer struct {
	City  city            `json:"city"`
	Big   *big.Int        `json:"big"`
	At    time.Time       `json:"at"`
	Extra json.RawMessage `json:"extra"`
	List  []string        `json:"list"`
}

func TestDefineTypedInputAndOutput(t *testing.T) {
	r := register(t, registry.Options{})(native.Define(named("city"), func(_ context.Context, in city) (answer, error) {
		big, _ := new(big.Int).SetString("123456789012345678901234567890", 10)
		return answer{City: in, Big: big, At: time.Unix(0, 0).UTC(), Extra: json.RawMessage(`{"n":1.10}`)}, nil
	}))
	result, err := call(r, "city", `{"name":"Ulm","since":8.54e2,"tags":[{"key":"a","ip":"::1"}],"any":9007199254740993,"raw":"aGk=","ratio":2,"small":5.0,"count":18446744073709551615,"mayor":"?"}`)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"city":{"name":"Ulm","since":854,"tags":[{"key":"a","ip":"::1"}],"any":9007199254740993,"raw":"aGk=","ratio":2,"small":5,"count":18446744073709551615},` +
		`"big":123456789012345678901234567890,"at":"1970-01-01T00:00:00Z","extra":{"n":1.10},"list":null}`
	if string(result.Structured) != want {
		t.Errorf("got  %s\nwant %s", result.Structured, want)
	}
	if !strings.Contains(result.Text(), "\n  \"big\": 123456789012345678901234567890,\n") {
		t.Errorf("the text is %s", result.Text())
	}
	if len(result.Warnings) != 1 || !strings.Contains(result.Warnings[0], "mayor") {
		t.Errorf("warnings: %q", result.Warnings)
	}
	info, _ := r.Tools().Get("city")
	if info.Sandboxed || info.Source != "go" || !strings.Contains(string(info.Parameters), `"description":"The city."`) || len(info.Result) == 0 {
		t.Errorf("listed as %+v", info)
	}
}

func TestDefineChecksArguments(t *testing.T) {
	r := register(t, registry.Options{})(native.Define(named("city"), func(_ context.Context, in city) (string, error) {
		t.Errorf("the function ran with %+v", in)
		return "", nil
	}))
	for arguments, kind := range map[string]string{
		`{}`:                       tool.ViolationMissing,
		`{"name":[]}`:              tool.ViolationType,
		`{"name":"a","small":300}`: tool.ViolationConstraint,
		`{"name":"a","tags":null}`: tool.ViolationType,
		`{"name":"a","since":99999999999999999999999}`:            tool.ViolationConstraint,
		`{"name":"a","tags":[{"key":"a","ip":"nowhere at all"}]}`: tool.ViolationConstraint,
	} {
		_, err := call(r, "city", arguments)
		e := failure(t, err, tool.CodeInvalidArgument)
		if !e.Recoverable || len(e.Details.Violations) == 0 || e.Details.Violations[0].Kind != kind {
			t.Errorf("%s: got %+v, want the kind %s", arguments, e, kind)
		}
	}
}

func TestInvalidDefinitionsAreRefused(t *testing.T) {
	type node struct{ Next *node }
	type texted struct {
		N int `json:"n,string"`
	}
	echo := func(context.Context, city) (string, error) { return "", nil }
	with := func(f func(s *tool.Spec)) native.Options {
		o := named("x")
		f(&o.Spec)
		return o
	}
	define := func(o native.Options) error { _, _, err := native.Define(o, echo); return err }
	tests := []struct {
		name, field string
		err         error
	}{
		{"no name", "name", define(native.Options{})},
		{"a name with a space", "name", define(named("a b"))},
		{"an alias in capitals", "aliases", define(with(func(s *tool.Spec) { s.Aliases = []string{"X"} }))},
		{"an invalid schema", "parameters", define(with(func(s *tool.Spec) { s.Parameters = json.RawMessage(`{"type":"strng"}`) }))},
		{"an invalid schema of the result", "result", define(with(func(s *tool.Spec) { s.Result = json.RawMessage(`{"$ref":"#/nowhere"}`) }))},
		{"a hidden word", "description", define(with(func(s *tool.Spec) { s.Description = "Adds.\U000E0041" }))},
		{"a hidden value", "parameters", define(with(func(s *tool.Spec) {
			s.Parameters = json.RawMessage(`{"type":"object","properties":{"a":{"enum":["x\u200b"]}}}`)
		}))},
		{"a confirmation of an unknown parameter", "confirm", define(with(func(s *tool.Spec) { s.Confirm = "{nothing}?" }))},
		{"no function", "execute", func() error {
			_, _, err := native.Define[city, string](named("x"), nil)
			return err
		}()},
		{"no raw function", "execute", func() error { _, _, err := native.Raw(named("x"), nil); return err }()},
		{"no text function", "execute", func() error { _, _, err := native.Text("x", "", nil); return err }()},
		{"no search function", "execute", func() error { _, _, err := native.Search("x", "", nil); return err }()},
		{"arguments that are not an object", "parameters", func() error {
			_, _, err := native.Define(named("x"), func(context.Context, []int) (string, error) { return "", nil })
			return err
		}()},
		{"a recursive type", "parameters", func() error {
			_, _, err := native.Define(named("x"), func(context.Context, node) (string, error) { return "", nil })
			return err
		}()},
		{"a number that is a string", "parameters", func() error {
			_, _, err := native.Define(named("x"), func(context.Context, texted) (string, error) { return "", nil })
			return err
		}()},
		{"a channel as a result", "result", func() error {
			_, _, err := native.Define(named("x"), func(context.Context, city) (chan int, error) { return nil, nil })
			return err
		}()},
		{"arguments with their own JSON encoding", "parameters", func() error {
			_, _, err := native.Define(named("x"), func(context.Context, struct{ A map[string]*selfWritten }) (string, error) { return "", nil })
			return err
		}()},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if e := failure(t, tt.err, tool.CodeInvalidManifest); e.Details.Field != tt.field {
				t.Errorf("got the field %q in %v, want %q", e.Details.Field, e, tt.field)
			}
		})
	}
}

// selfWritten has its own JSON encoding.
type selfWritten struct{ A int }

func (selfWritten) MarshalJSON() ([]byte, error) { return []byte(`"a"`), nil }

func TestErrorsBecomeToolErrors(t *testing.T) {
	cause := errors.New("no such city; try Ulm")
	give := cause
	r := register(t, registry.Options{})(native.Define(named("city"), func(context.Context, struct{}) (string, error) { return "", give }))
	result, err := call(r, "city", "")
	e := failure(t, err, tool.CodeExecution)
	if !errors.Is(err, cause) || !e.Recoverable || result.Text() != "city: the tool says: no such city; try Ulm" {
		t.Errorf("got %+v with the text %q", e, result.Text())
	}
	give = errors.New(strings.Repeat("\xffé", 1<<20))
	if result, _ := call(r, "city", ""); len(result.Text()) > 9<<10 {
		t.Errorf("the message has %d bytes", len(result.Text()))
	}
	give = &tool.Error{Code: tool.CodeDisabled, Message: "closed on Sundays"}
	_, err = call(r, "city", "")
	failure(t, err, tool.CodeDisabled)
}

func TestPanicsAndGoexitFailTheCallOnly(t *testing.T) {
	var log strings.Builder
	logger := slog.New(slog.NewTextHandler(&log, nil))
	crash := func() { panic("secret-panic-value") }
	r := register(t, registry.Options{Logger: logger})(native.Define(named("city"), func(context.Context, struct{}) (string, error) {
		crash()
		return "", nil
	}))
	result, err := call(r, "city", "")
	failure(t, err, tool.CodeInternal)
	if strings.Contains(result.Text(), "secret-panic-value") {
		t.Errorf("the result is %q", result.Text())
	}
	if !strings.Contains(log.String(), "secret-panic-value") || !strings.Contains(log.String(), "native_test.go") {
		t.Errorf("the log has %s", log.String())
	}
	crash = runtime.Goexit
	_, err = call(r, "city", "")
	failure(t, err, tool.CodeExecution)
}

func TestFunctionThatIgnoresItsContextIsAbandoned(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		o := named("stuck")
		o.Spec.Timeout, o.MaxAbandoned = time.Second, 2
		r := register(t, registry.Options{})(native.Define(o, func(context.Context, struct{}) (string, error) {
			<-release
			return "late", nil
		}))
		for range 2 {
			start := time.Now()
			_, err := call(r, "stuck", "")
			if e := failure(t, err, tool.CodeTimeout); !e.Recoverable {
				t.Error("the error is marked recoverable")
			}
			if took := time.Since(start); took > time.Second+250*time.Millisecond {
				t.Errorf("it took %v", took)
			}
		}
		_, err := call(r, "stuck", "")
		if e := failure(t, err, tool.CodeResourceExhausted); e.Details.Limit != "abandoned calls" {
			t.Errorf("got %+v", e)
		}
		close(release)
		synctest.Wait()
		if result, err := call(r, "stuck", ""); err != nil || result.Text() != "late" {
			t.Errorf("after they ended: %q, %v", result.Text(), err)
		}
	})
}

func TestFunctionThatReturnsInTimeIsNotAbandoned(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := named("wait")
		o.MaxAbandoned = 1
		r := register(t, registry.Options{})(native.Define(o, func(ctx context.Context, _ struct{}) (string, error) {
			<-ctx.Done()
			return "", ctx.Err()
		}))
		for range 3 { // a function that returns is never counted as abandoned
			ctx, cancel := context.WithCancel(context.Background())
			time.AfterFunc(time.Second, cancel)
			_, err := r.Execute(ctx, tool.Call{Tool: "wait"})
			failure(t, err, tool.CodeCancelled)
		}
	})
}

func TestRawAndDefineCallReceiveTheCall(t *testing.T) {
	o := named("who")
	r := register(t, registry.Options{})(native.DefineCall(o, func(_ context.Context, c tool.Call, _ struct{}) (string, error) {
		c.OnProgress(1, 2, "half")
		return c.Tenant + " " + c.Session + " " + c.ID, nil
	}))
	o = named("raw")
	o.Spec.Parameters = json.RawMessage(`{"type":"object","properties":{"n":{"type":"number"}}}`)
	spec, e, err := native.Raw(o, func(_ context.Context, in tool.Invocation) (tool.Result, error) {
		n, _ := in.Text("n")
		return tool.Result{Content: []tool.Content{tool.TextContent(n)}, Title: "One"}, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Tools().Register(spec, e); err != nil {
		t.Fatal(err)
	}
	logged := ""
	result, err := r.Execute(context.Background(), tool.Call{
		Tool: "who", ID: "c1", Tenant: "t", Session: "s", OnProgress: func(_, _ float64, message string) { logged = message },
	})
	if err != nil || result.Text() != "t s c1" || logged != "half" {
		t.Errorf("got %q, %q, %v", result.Text(), logged, err)
	}
	result, err = call(r, "raw", `{"n":1.10}`)
	if err != nil || result.Text() != "1.10" || result.Title != "One" {
		t.Errorf("got %+v, %v", result, err)
	}
}

func TestResultsAreChecked(t *testing.T) {
	r := register(t, registry.Options{})(native.Define(named("draw"), func(context.Context, struct{}) (tool.Result, error) {
		return tool.Result{Content: []tool.Content{tool.ImageContent([]byte("half a pic"), "image/png")}}, nil
	}))
	_, err := call(r, "draw", "")
	if e := failure(t, err, tool.CodeInvalidOutput); !strings.Contains(e.Message, "content[0]") {
		t.Errorf("got %v", e)
	}
}

func TestOnInvalidSetsTheMessage(t *testing.T) {
	o := named("city")
	o.OnInvalid = func(faults []tool.Violation) string { return "say which city: " + faults[0].Pointer }
	r := register(t, registry.Options{})(native.Define(o, func(context.Context, city) (string, error) { return "", nil }))
	_, err := call(r, "city", "{}")
	if e := failure(t, err, tool.CodeInvalidArgument); e.Message != "say which city: /name" || len(e.Details.Violations) != 1 {
		t.Errorf("got %+v", e)
	}
	if _, _, err := r.Validate("city", nil); !strings.Contains(err.Error(), "say which city") {
		t.Errorf("Validate says %v", err)
	}
	for name, words := range map[string]func([]tool.Violation) string{
		"nothing": func([]tool.Violation) string { return "" },
		"a panic": func([]tool.Violation) string { panic("oh") },
	} {
		o.OnInvalid = words
		r := register(t, registry.Options{})(native.Define(o, func(context.Context, city) (string, error) { return "", nil }))
		_, err := call(r, "city", "{}")
		if e := failure(t, err, tool.CodeInvalidArgument); !strings.Contains(e.Message, "name") {
			t.Errorf("%s: got %q", name, e.Message)
		}
	}
}

func TestDigestNeedsVersion(t *testing.T) {
	digest := func(version string) string {
		o := named("city")
		o.Spec.Version = version
		r := register(t, registry.Options{})(native.Define(o, func(context.Context, city) (string, error) { return "", nil }))
		d, err := r.Digest(context.Background(), "city")
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	none, first, again, second := digest(""), digest("1.0.0"), digest("1.0.0"), digest("1.0.1")
	if none != "" || first == second || first != again {
		t.Errorf("got %q, %q, %q, %q", none, first, again, second)
	}
}

func TestSearch(t *testing.T) {
	hits := []native.Hit{{Title: "One", Location: "a.txt", Text: "first\nline"}, {Title: "Two"}, {Title: "Three"}}
	r := register(t, registry.Options{})(native.Search("find", "Finds.", func(_ context.Context, query string, limit int) ([]native.Hit, error) {
		if query == "none" {
			return nil, nil
		}
		return hits, nil
	}))
	result, err := call(r, "find", `{"query":"x"}`)
	if err != nil || result.Text() != "1. One\n   a.txt\n   first\n   line\n2. Two\n3. Three\n" || result.Title != "Found 3" || result.Metadata != nil {
		t.Errorf("got %+v, %v", result, err)
	}
	result, err = call(r, "find", `{"query":"x","limit":1}`)
	if err != nil || string(result.Structured) != `{"hits":[{"title":"One","location":"a.txt","text":"first\nline"}]}` ||
		result.Metadata[tool.MetaTruncated] != true || !strings.Contains(result.Text(), "2 more were left out") {
		t.Errorf("got %+v, %v", result, err)
	}
	result, err = call(r, "find", `{"query":"none"}`)
	if err != nil || string(result.Structured) != `{"hits":[]}` || !strings.Contains(result.Text(), "nothing was found") {
		t.Errorf("got %+v, %v", result, err)
	}
	for _, arguments := range []string{`{}`, `{"query":""}`, `{"query":"x","limit":0}`, `{"query":"x","limit":101}`} {
		_, err := call(r, "find", arguments)
		failure(t, err, tool.CodeInvalidArgument)
	}
}

func TestInitMakesAToolDynamic(t *testing.T) {
	skills := []string{"cook"}
	o := named("skill")
	o.Init = func(context.Context) (tool.Definition, error) {
		enum, err := json.Marshal(skills)
		return tool.Definition{
			Description: "Skills: " + strings.Join(skills, ", "),
			Parameters:  json.RawMessage(`{"type":"object","required":["name"],"properties":{"name":{"enum":` + string(enum) + `}}}`),
		}, err
	}
	r := register(t, registry.Options{})(native.Define(o, func(_ context.Context, in city) (string, error) { return in.Name, nil }))
	if result, err := call(r, "skill", `{"name":"cook"}`); err != nil || result.Text() != "cook" {
		t.Errorf("got %q, %v", result.Text(), err)
	}
	_, err := call(r, "skill", `{"name":"sing"}`)
	failure(t, err, tool.CodeInvalidArgument)
	skills = append(skills, "sing")
	if diff, err := r.Tools().Refresh(context.Background(), "skill"); err != nil || !strings.Contains(diff.String(), "cook, sing") {
		t.Errorf("got %v, %v", diff, err)
	}
	if result, err := call(r, "skill", `{"name":"sing"}`); err != nil || result.Text() != "sing" {
		t.Errorf("got %q, %v", result.Text(), err)
	}
}

func TestClosedToolRefusesCalls(t *testing.T) {
	_, e, err := native.Text("echo", "Echoes.", func(_ context.Context, text string) (string, error) { return text, nil })
	if err != nil {
		t.Fatal(err)
	}
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	_, err = e.Execute(context.Background(), tool.Invocation{Arguments: json.RawMessage(`{"text":"a"}`)})
	failure(t, err, tool.CodeNotFound)
}
