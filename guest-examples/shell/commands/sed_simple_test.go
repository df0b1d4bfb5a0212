package commands

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestSimpleSed compares programs that only substitute with the same programs and one more command,
// which run in cycles.
func TestSimpleSed(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	dir := t.TempDir()
	pieces := []string{"ab", "a", "b", "é", "x\x00", "7", "  ", "abc", "\xff"}
	for round := range 60 {
		var names []string
		for i := range 1 + random.IntN(3) {
			var text strings.Builder
			for range random.IntN(80) {
				for range random.IntN(6) {
					text.WriteString(pieces[random.IntN(len(pieces))])
				}
				text.WriteByte('\n')
			}
			if random.IntN(2) == 0 {
				text.WriteString("ab no line end")
			}
			name := fmt.Sprint(i)
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text.String()), 0o600); err != nil {
				t.Fatal(err)
			}
			names = append(names, name)
		}
		for _, program := range []string{"s/ab/X/", "s/abc*/<&>/g", "s/a/b/2", "s/[0-9]x*//", `s/\(a\)\(b\)/\2\1/g`, "s/ab/X/;s/X/Y/g", "s/$/!/", "s/é/e/", "s/ab/a\\\nb/"} {
			run := func(words ...string) string {
				var out, errs bytes.Buffer
				status := runCommand(context.Background(), dir, append(words, names...), strings.NewReader(""), &out, &errs)
				return fmt.Sprint(status, errs.String(), out.String())
			}
			for _, option := range []string{"-s", "-z", "-E"} {
				if option == "-E" && strings.Contains(program, `\(`) {
					continue
				}
				simple, cycles := run("sed", option, "-e", program), run("sed", option, "-e", program, "-e", "t")
				if simple != cycles {
					t.Fatalf("round %d: sed %s %q: %q, want %q", round, option, program, simple, cycles)
				}
			}
		}
	}
}
