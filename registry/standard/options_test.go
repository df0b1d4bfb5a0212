package standard_test

import (
	"context"
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/wasmtool/wasmtool/registry"
	"github.com/wasmtool/wasmtool/registry/ledger"
	"github.com/wasmtool/wasmtool/registry/standard"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// Options contains structs of other packages. None of its own fields may have the same name as a
// field of these structs.
func TestOptionsDeclareNothingTwice(t *testing.T) {
	owners := make(map[string]string) // by name of the field
	var look func(of reflect.Type)
	look = func(of reflect.Type) {
		for _, field := range reflect.VisibleFields(of) {
			if strings.HasSuffix(of.PkgPath(), "/standard") {
				owners[field.Name] = of.String()
			} else if owner, twice := owners[field.Name]; twice {
				t.Errorf("%s is a field of %s and of %v", field.Name, owner, of)
			}
		}
		for _, field := range reflect.VisibleFields(of) {
			of := field.Type
			options := of.Kind() == reflect.Struct && strings.HasSuffix(of.Name(), "Options")
			if options || of == reflect.TypeFor[standard.Sources]() || of == reflect.TypeFor[standard.Host]() {
				look(of)
			}
		}
	}
	look(reflect.TypeFor[standard.Options]())
}

// observer records the events that it receives.
type observer struct{ told []string }

func (o *observer) Begin(ctx context.Context, call tool.Call) (context.Context, func(tool.Receipt)) {
	o.told = append(o.told, "begin "+call.Tool)
	return ctx, func(r tool.Receipt) { o.told = append(o.told, "end "+r.Tool) }
}

func TestObserverAndOnClose(t *testing.T) {
	watching := new(observer)
	failure := errors.New("the traces are not sent")
	tools, err := standard.New(standard.Options{
		NoCache:  true,
		StateDir: t.TempDir(),
		Registry: registry.Options{Calls: ledger.Options{Observer: watching}, OnClose: func() error { return failure }},
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tools.Execute(t.Context(), tool.Call{Tool: "nothing"}); tool.CodeOf(err) != tool.CodeNotFound {
		t.Fatal(err)
	}
	if err := tools.Close(); !errors.Is(err, failure) {
		t.Errorf("Close gave %v", err)
	}
	if want := []string{"begin nothing", "end nothing"}; !slices.Equal(watching.told, want) {
		t.Errorf("told %q, want %q", watching.told, want)
	}
}
