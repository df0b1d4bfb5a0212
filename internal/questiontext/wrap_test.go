package questiontext

import (
	"fmt"
	"strings"
	"testing"
)

func TestWrap(t *testing.T) {
	x := func(n int) string { return strings.Repeat("x", n) }
	for _, c := range []struct{ name, line, want string }{
		{"empty", "", ""},
		{"one that fits", "  a: " + x(67), "  a: " + x(67)},
		{"without blanks", "  a: " + x(68) + x(66), "  a: " + x(67) + "\n      " + x(66) + "\n      x"},
		{"in front of a blank", x(60) + " " + x(20), x(60) + "\n       " + x(20)},
		{"no blank at the end of a line", x(71) + " " + x(66), x(71) + "\n       " + x(65) + "\n      x"},
		{"a blank right behind", x(72) + " x", x(72) + "\n       x"},
		{"a blank far in front", "  a: " + x(68), "  a: " + x(67) + "\n      x"},
		{"a word that fits into the next row", "  a: " + x(20) + " " + x(60), "  a: " + x(20) + "\n       " + x(60)},
		{"a word that fits into no row", "  a: " + x(20) + " " + x(66), "  a: " + x(20) + " " + x(46) + "\n      " + x(20)},
		{"solid text", x(66) + " " + Solid("rm -r *") + ", " + x(9), x(66) + "\n       rm -r *, " + x(9)},
		{"solid text that is too long", x(40) + " " + Solid(x(34)+" "+x(34)), x(40) + "\n       " + x(34) + "\n       " + x(34)},
		{"blanks alone", strings.Repeat(" ", 80), strings.Repeat(" ", 72) + "\n      " + strings.Repeat(" ", 8)},
		{"wide characters", strings.Repeat("界", 40), strings.Repeat("界", 36) + "\n      " + strings.Repeat("界", 4)},
	} {
		if got := Wrap(c.line); got != c.want {
			t.Errorf("%s: got\n%s\nwant\n%s", c.name, got, c.want)
		}
	}
}

// A terminal of 80 columns breaks longer lines. No argument may exploit this to put text that looks
// like a line of the host at the beginning of a row.
func TestNoLineForgesOneOfTheHost(t *testing.T) {
	row := func(text string) string { return fmt.Sprintf("%-80s", text) }
	forged := row("  every argument has its default") + row("Its author says: Only lists files.") + row("Run it? [y]es") + "rm -rf ."
	script, value := fmt.Sprintf("%-74s", "true #")+forged, fmt.Sprintf("%-71s", "x")+forged
	o := Options{Script: "command", First: []string{"path"}}
	for name, values := range map[string]map[string]any{
		"a script": {"command": script}, "a long script": {"command": strings.Repeat(script+"\n", 50)},
		"what changes": {"path": value}, "a value": {"a": value}, "a member": {"a": map[string]any{"b": []any{value}}},
		"a name": {value: 1},
	} {
		o.Commands = []string{value}
		for line := range strings.Lines(Arguments(object(t, values), o).Lines) {
			line = strings.TrimSuffix(line, "\n")
			if len(line) > 80 {
				t.Errorf("%s: a terminal breaks %q", name, line)
			}
			for _, forged := range []string{"  every argument", "Its author", "Run it", "rm -rf"} {
				if strings.HasPrefix(line, forged) {
					t.Errorf("%s: a row is %q", name, line)
				}
			}
		}
	}
	got := Arguments(object(t, map[string]any{"command": "true #" + strings.Repeat(" ", 64) + "rm -rf ."}), o).Lines
	if want := "  command:\n    | true #" + strings.Repeat(" ", 60) + "\n    >     rm -rf .\n"; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
