package history

import (
	"encoding/json"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/wasmtool/wasmtool/internal/jsonschema"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// Equal JSON has equal hashes, and different JSON has different hashes.
func TestHashJSON(t *testing.T) {
	equal := [][2]string{
		{`{"a":1,"b":[1,2]}`, ` {"b":[1.0,2e0],"a":1}`},
		{``, `{}`},
		{`null`, `{}`},
		{`{"a":9007199254740993}`, `{"a":9007199254740993.00}`},
	}
	for _, p := range equal {
		if a, b := HashJSON(json.RawMessage(p[0])), HashJSON(json.RawMessage(p[1])); a != b {
			t.Errorf("%s and %s have the hashes %s and %s", p[0], p[1], a, b)
		}
	}
	different := []string{`{}`, `{"a":9007199254740992}`, `{"a":9007199254740993}`, `{"a":"1"}`, `{"a":1}`, `[1]`, `{`, `{"`, `{"a":1,"a":1}`}
	seen := make(map[string]string)
	for _, doc := range different {
		hash := HashJSON(json.RawMessage(doc))
		if other, ok := seen[hash]; ok {
			t.Errorf("%s and %s have the same hash", doc, other)
		}
		seen[hash] = doc
	}
}

// HashArguments of prepared arguments equals HashJSON of their JSON. Both include defaults.
func TestHashArguments(t *testing.T) {
	schema, err := jsonschema.CompileParameters(json.RawMessage(`{"type": "object", "properties": {"a": {"type": "number", "default": 1.50}, "b": {"type": "string"}}}`))
	if err != nil {
		t.Fatal(err)
	}
	for _, doc := range []string{``, `null`, `{}`, `{"b": "x", "a": 2.0}`, `{"a": 1e0, "b": "\u00e9"}`, `{"c": 1}`} {
		arguments, err := schema.Prepare(t.Context(), []byte(doc))
		if err != nil {
			t.Fatal(err)
		}
		if got, want := HashArguments(arguments), HashJSON(arguments.JSON); got != want {
			t.Errorf("%s has the hash %s, its JSON %s", doc, got, want)
		}
	}
}

// A number of a few bytes, such as 1e100000, can have very many digits. Long documents are hashed
// by their bytes, because normalizing the numbers of this list took three seconds.
func TestLongJSONIsHashedByItsBytes(t *testing.T) {
	numbers := func(one string) json.RawMessage {
		return json.RawMessage("[" + strings.Repeat(one+",", 200_000) + "1]")
	}
	doc, other := numbers("1e1024"), numbers("1E1024")
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	hash := HashJSON(doc)
	_ = HashResult(tool.Result{Structured: doc}, "")
	runtime.ReadMemStats(&after)
	if taken := after.TotalAlloc - before.TotalAlloc; taken > uint64(len(doc)) {
		t.Errorf("%d bytes were allocated for the hash of %d", taken, len(doc))
	}
	if hash != HashJSON(doc) || hash == HashJSON(other) {
		t.Error("documents with different bytes have the same hash")
	}
	arguments := jsonschema.Arguments{JSON: doc}
	if HashArguments(arguments) != HashJSON(arguments.JSON) {
		t.Error("arguments and their JSON have different hashes")
	}
}

func TestHashResult(t *testing.T) {
	text := func(texts ...string) tool.Result {
		var r tool.Result
		for _, s := range texts {
			r.Content = append(r.Content, tool.TextContent(s))
		}
		return r
	}
	structured := func(doc string) tool.Result { return tool.Result{Structured: json.RawMessage(doc)} }
	one := text("a")
	one.Warnings, one.Call = []string{"odd"}, tool.CallInfo{CallRef: tool.CallRef{ID: "1"}, Fuel: 7}
	if HashResult(one, "") != HashResult(text("a"), "") {
		t.Error("warnings or costs changed the hash")
	}
	if HashResult(structured(`{"a":1,"b":2}`), "") != HashResult(structured(`{"b":2,"a":1.0}`), "") {
		t.Error("equal structured results have different hashes")
	}
	hashes := map[string]bool{
		HashResult(text("a"), ""): true, HashResult(text("a"), tool.CodeTimeout): true, HashResult(text("ab"), ""): true,
		HashResult(text("a", "b"), ""): true, HashResult(structured(`{}`), ""): true, HashResult(structured(`"a"`), ""): true,
		HashResult(tool.Result{}, ""): true,
	}
	if len(hashes) != 7 {
		t.Errorf("seven results have %d hashes", len(hashes))
	}
}

// Only the last calls of a session are kept, and they are returned newest first.
func TestLastCallsAreKeptNewestFirst(t *testing.T) {
	var seen int
	log := New(Options{PerSession: 3, Sink: func(Record) { seen++ }})
	for i := range 5 {
		if got, want := len(log.Calls("t", "s", 0)), min(i, 3); got != want {
			t.Errorf("after %d calls %d are kept", i, got)
		}
		log.Add(Record{CallRef: tool.CallRef{Tenant: "t", Session: "s", ID: fmt.Sprint(i)}})
	}
	tests := []struct {
		tenant, session string
		limit           int
		want            []string
	}{
		{"t", "s", 0, []string{"4", "3", "2"}},
		{"t", "s", -1, []string{"4", "3", "2"}},
		{"t", "s", 2, []string{"4", "3"}},
		{"t", "s", 99, []string{"4", "3", "2"}},
		{"t", "other", 0, nil},
		{"other", "s", 0, nil},
	}
	for _, tt := range tests {
		var got []string
		for _, r := range log.Calls(tt.tenant, tt.session, tt.limit) {
			got = append(got, r.ID)
		}
		if fmt.Sprint(got) != fmt.Sprint(tt.want) {
			t.Errorf("%s/%s, %d: got %v, want %v", tt.tenant, tt.session, tt.limit, got, tt.want)
		}
	}
	if seen != 5 {
		t.Errorf("the sink saw %d calls", seen)
	}
	log.Forget("t", "s")
	if got := log.Calls("t", "s", 0); len(got) > 0 {
		t.Errorf("after forgetting there are %v", got)
	}
}

// By default, a session keeps its last 100 calls.
func TestDefaultIsTheLast100Calls(t *testing.T) {
	log := New(Options{})
	for i := range 250 {
		log.Add(Record{CallRef: tool.CallRef{ID: fmt.Sprint(i)}})
	}
	if got := log.Calls("", "", 0); len(got) != 100 || got[0].ID != "249" || got[99].ID != "150" {
		t.Errorf("kept %d calls, from %s to %s", len(got), got[len(got)-1].ID, got[0].ID)
	}
}

func TestNegativeLimitKeepsNothing(t *testing.T) {
	var seen int
	log := New(Options{PerSession: -1, Sink: func(Record) { seen++ }})
	log.Add(Record{CallRef: tool.CallRef{ID: "a"}})
	if got := log.Calls("", "", 0); len(got) != 0 || seen != 1 {
		t.Errorf("kept %v, the sink saw %d", got, seen)
	}
}

// Neither the caller of Add nor a reader can change a kept record.
func TestRecordsAreCopies(t *testing.T) {
	log := New(Options{})
	parameters := json.RawMessage(`{"a":1}`)
	log.Add(Record{Parameters: parameters})
	parameters[0] = 'x'
	log.Calls("", "", 0)[0].Parameters[1] = 'x'
	if got := string(log.Calls("", "", 0)[0].Parameters); got != `{"a":1}` {
		t.Errorf("got %s", got)
	}
}
