package wasm

import (
	"errors"
	"strings"
	"testing"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/hostfuncs/files"
	"github.com/wasmtool/wasmtool/internal/wasmtest"
	"github.com/wasmtool/wasmtool/registry/tool"
	"github.com/wasmtool/wasmtool/runtime"
)

// A call that exceeds a limit of its manifest ends. A lower limit of the operator ends it as well.
func TestLimitsOfManifestAndOperator(t *testing.T) {
	loop, grow, open := command(forever()), grower(), opener()
	dir := t.TempDir()
	for _, tt := range []struct {
		name      string
		module    wasmtest.Module
		keys      string
		operator  runtime.Options
		openFiles int           // limit of the operator; 0 for none
		limit     runtime.Limit // the limit that ends the call; empty for none
		says      string        // part of the error
	}{
		{name: "fuel", module: loop, keys: "limits.fuel = 10_000", limit: runtime.LimitFuel, says: "its 10000 units"},
		{name: "fuel below the limit of the operator", module: loop, keys: "limits.fuel = 10_000", operator: runtime.Options{MaxFuel: 20_000}, limit: runtime.LimitFuel, says: "its 10000 units"},
		{name: "fuel above the limit of the operator", module: loop, keys: "limits.fuel = 30_000", operator: runtime.Options{MaxFuel: 20_000}, limit: runtime.LimitFuel, says: "its 20000 units"},
		{name: "a huge amount of fuel", module: loop, keys: "limits.fuel = 1_000_000_000_000_000", operator: runtime.Options{MaxFuel: 20_000}, limit: runtime.LimitFuel, says: "its 20000 units"},
		{name: "no fuel in the manifest", module: loop, operator: runtime.Options{MaxFuel: 20_000}, limit: runtime.LimitFuel, says: "its 20000 units"},
		{name: "enough fuel", module: grow, keys: "limits.fuel = 10_000_000"},

		{name: "memory", module: grow, keys: `limits.memory = "1MiB"`, limit: runtime.LimitMemory, says: "its 1048576 bytes"},
		{name: "memory below the limit of the operator", module: grow, keys: `limits.memory = "1MiB"`, operator: runtime.Options{MaxMemory: 2 << 20}, limit: runtime.LimitMemory, says: "its 1048576 bytes"},
		{name: "memory above the limit of the operator", module: grow, keys: `limits.memory = "1GiB"`, operator: runtime.Options{MaxMemory: 2 << 20}, limit: runtime.LimitMemory, says: "its 2097152 bytes"},
		{name: "enough memory", module: grow, keys: `limits.memory = "4MiB"`},

		{name: "open files", module: open, keys: "limits.open_files = 3", limit: runtime.LimitFiles, says: "open files (3)"},
		{name: "one open file", module: open, keys: "limits.open_files = 1", limit: runtime.LimitFiles, says: "open files (1)"},
		{name: "open files below the limit of the operator", module: open, keys: "limits.open_files = 3", openFiles: 5, limit: runtime.LimitFiles, says: "open files (3)"},
		{name: "open files above the limit of the operator", module: open, keys: "limits.open_files = 9", openFiles: 5, limit: runtime.LimitFiles, says: "open files (5)"},
		{name: "no open files in the manifest", module: open, limit: runtime.LimitFiles, says: "open files (64)"},
		{name: "more than the default", module: open, keys: "limits.open_files = 100", limit: runtime.LimitFiles, says: "open files (100)"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			e := newExecutor(t, tt.operator, files.Options{MaxOpenFiles: tt.openFiles}, tt.module, tt.keys)
			_, err := execute(t, e, `{}`, capability.Grant{FS: []capability.GrantedFS{
				{FS: capability.FS{Mount: "w", Mode: capability.ModeRead}, Dir: dir},
			}})
			if tt.limit == "" {
				if err != nil {
					t.Errorf("got %v", err)
				}
				return
			}
			var te *tool.Error
			if !errors.As(err, &te) || te.Code != tool.CodeResourceExhausted || te.Details.Limit != string(tt.limit) || !strings.Contains(te.Message, tt.says) {
				t.Errorf("got %v (%+v), want the limit %q and %q", err, te, tt.limit, tt.says)
			}
		})
	}
}

// A tenant is charged for the memory that a call can actually use: the lower of two limits.
func TestMaxMemoryIsTheLowerLimit(t *testing.T) {
	for _, tt := range []struct {
		operator runtime.Options
		want     uint64
	}{{runtime.Options{}, 4 << 20}, {runtime.Options{MaxMemory: 2 << 20}, 2 << 20}} {
		if got := newExecutor(t, tt.operator, files.Options{}, grower(), `limits.memory = "4MiB"`).MaxMemory(); got != tt.want {
			t.Errorf("got %d, want %d", got, tt.want)
		}
	}
}
