package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/wasmtool/wasmtool/guest-examples/internal/workspace"
)

// BenchmarkTools makes typical calls of agents, most of them small. The CPU profile of this
// benchmark is stored as default.pgo, which the compiler uses to decide what to inline. Update the
// profile after large changes to the tools:
//
//	go test ./modules/files -run '^$' -bench Tools -benchtime 20s \
//		-cpuprofile modules/files/default.pgo
func BenchmarkTools(b *testing.B) {
	root := b.TempDir()
	line := "\tif err := handle(value, other); err != nil { return err } // of what the file does\n"
	put := func(name, content string) {
		full := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(full), 0o700); err != nil {
			b.Fatal(err)
		}
		if err := os.WriteFile(full, []byte(content), 0o600); err != nil {
			b.Fatal(err)
		}
	}
	for i := range 40 {
		put(fmt.Sprintf("d%d/f%d.go", i%4, i), strings.Repeat(line, 14))
	}
	put("edited.txt", strings.Repeat(line, 40)+"number 0\n")
	all := tools(workspace.OpenDir(root))
	call := func(name, format string, args ...any) {
		if err := all[name](fmt.Appendf(nil, format, args...), io.Discard); err != nil {
			b.Fatal(err)
		}
	}
	for n := 0; b.Loop(); n++ {
		call("edit", `{"file_path": "edited.txt", "old_string": "number %d", "new_string": "number %d"}`, n, n+1)
		call("read", `{"file_path": "d1/f%d.go", "offset": 1, "limit": 2000}`, 1+n%10*4)
		call("write", `{"file_path": "written.txt", "content": "\tthe content of a file\nnumber %d\n"}`, n)
		if n%10 == 0 {
			call("multi_edit", `{"file_path": "written.txt", "edits": [{"old_string": "number", "new_string": "no."}]}`)
			call("list", `{"path": "d1"}`)
			call("grep", `{"pattern": "func needle"}`)
			call("glob", `{"pattern": "**/*9.go"}`)
		}
	}
}
