package attack

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/wasmtool/wasmtool/internal/wasmtest"
	"github.com/wasmtool/wasmtool/registry"
	"github.com/wasmtool/wasmtool/registry/ledger"
	"github.com/wasmtool/wasmtool/registry/mcpserver"
	"github.com/wasmtool/wasmtool/registry/standard"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// spinner returns a plug-in that uses fuel, logs its input and then never ends.
func spinner() []byte {
	const logInfo, input, localTee, greater, sub = 0, 1, 0x22, 0x4a, 0x6b
	imp := func(name string, typ uint32) wasmtest.Import {
		return wasmtest.Import{Module: "extism:host/env", Name: name, Type: typ}
	}
	return wasmtest.Module{
		Types: []wasmtest.FuncType{
			{Results: []byte{wasmtest.I32}}, {Params: []byte{wasmtest.I64}}, {Results: []byte{wasmtest.I64}},
		},
		Imports: []wasmtest.Import{imp("log_info", 1), imp("input_offset", 2)},
		Funcs: []wasmtest.Func{{Locals: []byte{wasmtest.I32}, Body: wasmtest.Code(
			[]byte{wasmtest.Loop, wasmtest.Empty, wasmtest.LocalGet, 0}, wasmtest.Const(1), []byte{sub, localTee, 0}, wasmtest.Const(-1000),
			[]byte{greater, wasmtest.BrIf, 0, wasmtest.End},
			wasmtest.CallFunc(input), wasmtest.CallFunc(logInfo),
			[]byte{wasmtest.Loop, wasmtest.Empty, wasmtest.Br, 0, wasmtest.End}, wasmtest.Const(0),
		)}},
		Memory:  []uint32{1},
		Exports: []wasmtest.Export{{Name: "call", Index: 2}, {Name: "memory", Kind: 2}},
	}.Bytes()
}

// A client that cancels a call, over standard input or HTTP, stops its guest, which would otherwise
// run for ten minutes.
func TestCancelledCallStopsTheGuest(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	text := "manifest = 1\nname = \"spins\"\nversion = \"1.0.0\"\ndescription = \"Spins.\"\ntimeout = \"10m\"\n[module]\npath = \"tool.wasm\"\nabi = \"extism\"\n"
	if err := errors.Join(
		os.WriteFile(filepath.Join(dir, "tool.toml"), []byte(text), 0o600),
		os.WriteFile(filepath.Join(dir, "tool.wasm"), spinner(), 0o600),
	); err != nil {
		t.Fatal(err)
	}
	receipts := make(chan tool.Receipt, 1)
	tools, err := standard.New(standard.Options{
		Sources:  standard.Sources{Tool: dir, NoBuiltins: true},
		NoCache:  true,
		StateDir: t.TempDir(),
		Registry: registry.Options{Calls: ledger.Options{OnReceipt: func(r tool.Receipt) { receipts <- r }}},
	})
	if err != nil {
		t.Fatal(err)
	}
	spins := make(chan struct{}, 1)
	server := mcpserver.New(tools, mcpserver.Options{OnLog: func(string, slog.Level, string) { spins <- struct{}{} }})
	t.Cleanup(func() {
		server.Close()
		if err := tools.Close(); err != nil {
			t.Error(err)
		}
	})
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	go func() { _ = server.ServeListener(t.Context(), listener, mcpserver.HTTPOptions{}) }()
	in, toServer := io.Pipe()
	fromServer, out := io.Pipe()
	go func() { _ = server.ServeStdio(t.Context(), in, out) }()
	for name, transport := range map[string]sdk.Transport{
		"standard input": &sdk.IOTransport{Reader: fromServer, Writer: toServer},
		"HTTP":           &sdk.StreamableClientTransport{Endpoint: "http://" + listener.Addr().String() + "/mcp"},
	} {
		session, err := sdk.NewClient(&sdk.Implementation{Name: "c", Version: "1"}, nil).Connect(t.Context(), transport, nil)
		if err != nil {
			t.Fatal(name, err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		go func() {
			<-spins
			cancel()
		}()
		if _, err := session.CallTool(ctx, &sdk.CallToolParams{Name: "spins", Arguments: map[string]any{}}); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: the client got %v", name, err)
		}
		if r := <-receipts; r.Code != tool.CodeCancelled || r.Fuel == 0 {
			t.Errorf("%s: the call ended with %q after %d fuel", name, r.Code, r.Fuel)
		}
		if err := session.Close(); err != nil {
			t.Error(name, err)
		}
	}
}
