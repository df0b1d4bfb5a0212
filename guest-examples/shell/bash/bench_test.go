package bash

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// BenchmarkCommands runs commands over a file of 5 MB, and loops. The CPU profile of this benchmark
// is stored as default.pgo, which the compiler uses to decide what to inline. Update the file when
// the commands change much, in guest-examples:
//
//	go run ./internal/build -test ./shell/bash -run '^$' -bench Commands \
//		-cpuprofile modules/shell/default.pgo
func BenchmarkCommands(b *testing.B) {
	dir := b.TempDir()
	var text strings.Builder
	for i := range 80_000 {
		fmt.Fprintln(&text, (i*7919)%100_003, "word absent", i, "and the rest of a line, which has sixty bytes")
	}
	if err := os.WriteFile(filepath.Join(dir, "in.txt"), []byte(text.String()), 0o600); err != nil {
		b.Fatal(err)
	}
	host := Host{Commands: commandTable(), Workspace: dir, Temp: dir}
	for _, script := range []string{
		"n=0; while read -r l; do n=$((n+1)); done < in.txt",
		`for ((i=0; i<20000; i++)); do x=${i#1}; if [ "$x" = "$i" ]; then echo "$x $i"; fi; done > out.txt`,
		"sed s/ab/X/ in.txt > out.txt",
		"sed 's/[0-9][0-9]*/N/g' in.txt > out.txt",
		"sort in.txt > out.txt; sort -n in.txt > out.txt",
		"grep -c ab in.txt; wc in.txt; uniq in.txt | cut -c1-9 | tail -n 3",
	} {
		b.Run(script, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if r, err := Run(context.Background(), host, Args{Command: script}); err != nil || r.IsError {
					b.Fatal(r, err)
				}
			}
		})
	}
}
