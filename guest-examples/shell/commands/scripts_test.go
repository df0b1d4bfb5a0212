package commands

import (
	"bytes"
	"os/exec"
	"strings"
	"testing"

	"github.com/wasmtool/wasmtool/guest-examples/internal/testprogram"
)

// TestScripts runs commands on text in several scripts. The system's commands, which are GNU's,
// must do the same in a UTF-8 locale.
func TestScripts(t *testing.T) {
	const text = "café caf CAFÉ\nÉtat, état\n读取工具 世界\nλόγος ΛΌΓΟΣ\nмир_1 мир\nكتاب ٤٢\na\u3000b\nüx éx x\n"
	tests := []struct {
		words []string
		want  string
	}{
		{[]string{"grep", "-o", `\bcaf\b`}, "caf\n"},
		{[]string{"grep", "-ow", "caf"}, "caf\n"},
		{[]string{"grep", "-oiw", "état"}, "État\nétat\n"},
		{[]string{"grep", "-o", `\w*工具`}, "读取工具\n"},
		{[]string{"grep", "-ow", "世界"}, "世界\n"},
		{[]string{"grep", "-c", `\<取`}, "0\n"},
		{[]string{"grep", "-o", `\W`}, " \n \n,\n \n \n \n \n \n\u3000\n \n \n"},
		{[]string{"grep", "-oE", `^\w+\b`}, "café\nÉtat\n读取工具\nλόγος\nмир_1\nكتاب\na\nüx\n"},
		{[]string{"grep", "-oE", `[[:upper:]]+`}, "CAFÉ\nÉ\nΛΌΓΟΣ\n"},
		{[]string{"grep", "-oE", `[[:lower:]]{5}`}, "λόγος\n"},
		{[]string{"grep", "-oE", `[[:alpha:]]{4}\>`}, "café\nCAFÉ\nÉtat\nétat\n读取工具\nόγος\nΌΓΟΣ\nكتاب\n"},
		{[]string{"grep", "-oE", `a[[:space:]]b`}, "a\u3000b\n"},
		{[]string{"grep", "-o", `\b.x`}, "üx\néx\n x\n"},
		{[]string{"grep", "-o", `\Bx`}, "x\nx\n"},
		{[]string{"grep", "-c", `[^[:alnum:][:punct:][:space:]]`}, "0\n"},
		{[]string{"sed", "-n", `s/\bcaf\b/X/p`}, "café X CAFÉ\n"},
		{[]string{"sed", "-nE", `s/(\w+), (\w+)/\2-\1/p`}, "état-État\n"},
		{[]string{"sed", "-n", `s/\w/_/gp`}, "____ ___ ____\n____, ____\n____ __\n_____ _____\n_____ ___\n____ __\n_\u3000_\n__ __ _\n"},
		{[]string{"sed", "-n", `/^[[:upper:]]/p`}, "État, état\n"},
		{[]string{"sed", "-n", `s/\Bx/X/gp`}, "üX éX x\n"},
	}
	dir := t.TempDir()
	for _, test := range tests {
		var ours, errors, theirs bytes.Buffer
		runOurs(t, dir, test.words, strings.NewReader(text), &ours, &errors)
		if ours.String() != test.want {
			t.Errorf("%q prints %q, want %q; stderr %q", test.words, &ours, test.want, &errors)
		}
		system := exec.Command(testprogram.Path(t, test.words[0]), test.words[1:]...)
		system.Env, system.Stdin, system.Stdout = []string{"LC_ALL=C.UTF-8"}, strings.NewReader(text), &theirs
		if err := system.Run(); err != nil && system.ProcessState.ExitCode() != 1 {
			t.Fatal(err)
		}
		if theirs.String() != test.want {
			t.Errorf("the system's %q prints %q, want %q", test.words, &theirs, test.want)
		}
	}
}
