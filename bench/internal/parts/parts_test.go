package parts

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/pprof/profile"
)

// stages is the outer end of every stack of a call.
const stages = own + "registry/pipeline.(*Pipeline).stages " + own + "registry/pipeline.(*Pipeline).execute " + own + "registry.(*Registry).Execute main.main"

func TestOf(t *testing.T) {
	const (
		pipeline = own + "registry/pipeline."
		executor = own + "registry/executor/wasm."
		pool     = own + "runtime/internal/pool."
		memory   = own + "runtime/internal/guestmem."
		abi      = own + "runtime/internal/abi."
		engine   = wazero + "internal/engine/wazevo."
		run      = pipeline + "(*Pipeline).run " + stages
		serve    = pool + "(*Instance).serve " + pool + "(*Pool).Run " + own + "runtime.(*compiled).execute " + executor + "(*Executor).Execute " + run
		guest    = engine + "(*callEngine).callWithStack " + serve
		host     = wazero + "api.GoModuleFunc.Call " + engine + "(*callEngine).callWithStack.func4 " + guest
	)
	for _, test := range []struct {
		part  Part
		stack string
	}{
		{Arguments, own + "internal/jsontree.Parse[go.shape.[]uint8] " + own + "internal/jsonschema.(*Schema).Prepare " + pipeline + "(*Pipeline).prepare " + stages},
		{Arguments, "runtime.mallocgc runtime.newobject " + pipeline + "(*Pipeline).prepare " + stages},
		{Policy, own + "registry/policy.(*Policy).Decide " + pipeline + "authorised.decide " + pipeline + "(*Pipeline).authorise " + stages},
		{Policy, pipeline + "(*Rules).script " + pipeline + "(*Pipeline).prepare " + stages},
		{Policy, own + "registry/policy/shellcommand.Parse " + pipeline + "(*Pipeline).prepare " + stages},
		{Policy, pipeline + "requested " + pipeline + "(*Pipeline).prepare " + stages},
		{Stages, pipeline + "requestedByOthers " + run}, // a name stands for a whole function
		{Queue, own + "internal/callqueue.(*Queue).Enter " + own + "registry/schedule.(*Schedule).wait " + pipeline + "(*Pipeline).enter " + run},
		{Queue, own + "internal/callqueue.(*Queue).Enter " + own + "runtime.(*compiled).admit " + own + "runtime.(*compiled).serve " + executor + "(*Executor).Execute " + run},
		{Instance, own + "hostfuncs.Bind " + executor + "(*Executor).bind.func1 " + executor + "(*Executor).bind " + executor + "(*Executor).Execute " + run},
		{Instance, pool + "(*Pool).take " + pool + "(*Pool).Run " + own + "runtime.(*compiled).execute.func1"},
		{Reset, "runtime.memmove " + memory + "(*Memory).copyBack " + pool + "(*Instance).reset " + pool + "(*Instance).finish " + serve},
		{Reset, abi + "(*Guest).Settle " + pool + "(*Instance).finish " + serve},
		{Guest, guest},
		{Guest, "runtime._ExternalCode runtime._System"},
		{Guest, "runtime.memmove"},
		{Host, "runtime.growslice " + abi + "(*Call).write " + abi + "exporter.export.func1 " + host},
		{Host, engine + "(*callEngine).addFrame " + engine + "(*callEngine).callWithStack.func1 runtime.gopanic " + abi + "procExit " + host},
		{Instance, pool + "(*Instance).Enter " + abi + "(*Engine).instantiateMeter.func2 " + host},
		{Result, own + "internal/jsontree.Parse " + executor + "parseOutput " + executor + "(*Executor).result " + executor + "(*Executor).Execute " + run},
		{Result, own + "internal/jsonschema.(*Schema).Validate " + pipeline + "prepared.checkResult " + run},
		{Records, "crypto/sha256.Sum256 " + own + "registry/ledger/history.HashResult " + own + "registry/ledger.(*Entry).End " + stages},
		{Goroutines, "runtime.copystack runtime.newstack runtime.morestack " + host},
		{Goroutines, "runtime.futex runtime.wakep runtime.ready runtime.goready.func1 runtime.systemstack " + own + "runtime.(*compiled).execute.func1"},
		{Goroutines, "runtime.findRunnable runtime.schedule runtime.park_m runtime.mcall"},
		{Collector, "runtime.scanobject runtime.gcDrain runtime.systemstack runtime.gcBgMarkWorker"},
		{Records, "runtime.gcDrainN runtime.gcAssistAlloc runtime.mallocgc " + own + "registry/ledger.(*Entry).End " + stages},
		{Stages, stages},
		{Other, "time.Now main.main"},
		{Other, ""},
	} {
		if got := Of(strings.Fields(test.stack)); got != test.part {
			t.Errorf("%s: got %s, want %s", test.stack, got, test.part)
		}
	}
}

// Every name of a rule exists, so that a renamed function cannot move its time to another part.
func TestNamesExist(t *testing.T) {
	names := make(map[string][]string) // by package
	for _, r := range append(stageRules(), runtimeRules()...) {
		for _, name := range r.names {
			dir, last := "", name
			if i := strings.LastIndexByte(name, '/'); i >= 0 {
				dir, last = name[:i+1], name[i+1:]
			}
			if last == "" {
				names[dir+"..."] = append(names[dir+"..."], "")
				continue
			}
			pkg, function, _ := strings.Cut(last, ".")
			names[dir+pkg] = append(names[dir+pkg], function)
		}
	}
	for pkg, functions := range names {
		declared := declarations(t, pkg)
		for _, function := range functions {
			if !declared[function] {
				t.Errorf("package %s has no %q", pkg, function)
			}
		}
	}
}

// declarations returns the functions, the methods and the receivers of packages as they are written
// in profiles. It has "" if there is a function at all.
func declarations(t *testing.T, pattern string) map[string]bool {
	t.Helper()
	out, err := exec.Command("go", "list", "-f", "{{.Dir}}", pattern).Output()
	if err != nil {
		t.Fatalf("go list %s: %v", pattern, err)
	}
	declared := make(map[string]bool)
	for dir := range strings.FieldsSeq(string(out)) {
		files, err := filepath.Glob(filepath.Join(dir, "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			for _, d := range parsed.Decls {
				if f, ok := d.(*ast.FuncDecl); ok {
					receiver, name := nameOf(f)
					declared[""], declared[receiver], declared[name] = true, true, true
				}
			}
		}
	}
	return declared
}

func nameOf(f *ast.FuncDecl) (receiver, name string) {
	if f.Recv == nil {
		return "", f.Name.Name
	}
	switch of := f.Recv.List[0].Type.(type) {
	case *ast.StarExpr:
		receiver = fmt.Sprintf("(*%v)", of.X)
	default:
		receiver = fmt.Sprint(of)
	}
	return receiver, receiver + "." + f.Name.Name
}

func TestAdd(t *testing.T) {
	p := &profile.Profile{SampleType: []*profile.ValueType{{Type: "samples", Unit: "count"}, {Type: "cpu", Unit: "nanoseconds"}}}
	sample := func(value int64, locations ...[]string) {
		s := &profile.Sample{Value: []int64{1, value}}
		for _, functions := range locations {
			l := &profile.Location{ID: uint64(len(p.Location)) + 1}
			for _, name := range functions {
				f := &profile.Function{ID: uint64(len(p.Function)) + 1, Name: name}
				p.Function = append(p.Function, f)
				l.Line = append(l.Line, profile.Line{Function: f})
			}
			p.Location = append(p.Location, l)
			s.Location = append(s.Location, l)
		}
		p.Sample = append(p.Sample, s)
	}
	sample(30, []string{"runtime._ExternalCode"})
	// hexDigest is inlined.
	sample(10, []string{"runtime.mallocgc"}, []string{own + "registry/ledger.hexDigest", own + "registry.(*Registry).Execute"})
	sample(5)
	var b bytes.Buffer
	if err := p.Write(&b); err != nil {
		t.Fatal(err)
	}
	times := make(Times)
	if err := times.Add(&b); err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(times[Guest], times[Records], times[Other], times.Sum()); got != "30 10 5 45" {
		t.Errorf("got %s", got)
	}
	if times.Add(strings.NewReader("x")) == nil {
		t.Error("no error of a profile that cannot be read")
	}
}
