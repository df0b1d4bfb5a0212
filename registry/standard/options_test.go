package standard_test

import (
	"cmp"
	"context"
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/wasmtool/wasmtool/registry"
	"github.com/wasmtool/wasmtool/registry/standard"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// Whoever makes a Registry by New can say all that its Options say.
func TestOptionsHaveThoseOfTheRegistry(t *testing.T) {
	instead := map[string]string{
		"Rules":      "the operator's file, Offer and Policy",
		"Results":    "made with MaxText",
		"MaxCalls":   "Ceilings.MaxCalls",
		"MaxWaiting": "Ceilings.MaxWaiting",
	}
	other := map[string]string{
		"Approvals.Store": "Approvals", "Approvals.Timeout": "ApprovalTimeout", "Schedule.Budget": "TenantBudget",
		"Calls.MaxEnded": "MaxEndedCalls", "Retries.Max": "MaxRetries", "Retries.MaxDelay": "MaxRetryDelay",
	}
	own := reflect.TypeFor[standard.Options]()
	var same func(group string, of reflect.Type)
	same = func(group string, of reflect.Type) {
		for _, field := range reflect.VisibleFields(of) {
			if of == reflect.TypeFor[registry.Options]() && strings.HasSuffix(field.Type.Name(), "Options") {
				same(field.Name+".", field.Type)
				continue
			}
			found, there := own.FieldByName(cmp.Or(other[group+field.Name], field.Name))
			if _, otherwise := instead[field.Name]; otherwise == there {
				t.Errorf("%s: is there: %t", group+field.Name, there)
			}
			if there && found.Type != field.Type {
				t.Errorf("%s is %v, not %v", group+field.Name, found.Type, field.Type)
			}
		}
	}
	same("", reflect.TypeFor[registry.Options]())
}

// observer notes what it is told.
type observer struct{ told []string }

func (o *observer) Begin(ctx context.Context, call tool.Call) (context.Context, func(tool.Receipt)) {
	o.told = append(o.told, "begin "+call.Tool)
	return ctx, func(r tool.Receipt) { o.told = append(o.told, "end "+r.Tool) }
}

func TestObserverAndOnClose(t *testing.T) {
	watching := new(observer)
	failure := errors.New("the traces are not sent")
	tools, err := standard.New(standard.Options{NoCache: true, StateDir: t.TempDir(), Observer: watching, OnClose: func() error { return failure }})
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
