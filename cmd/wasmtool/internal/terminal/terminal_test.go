package terminal

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// A status is removed before any other text is written, and at the end.
func TestStatusLeavesNothingBehind(t *testing.T) {
	file, err := os.Create(filepath.Join(t.TempDir(), "terminal"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	line := &StatusLine{file: file, turning: true} // this test calls turn itself
	now := time.Now().Add(7*time.Second + 500*time.Millisecond)

	line.Begin("a", "compiling a")
	line.Begin("b", "compiling b")
	line.turn(now)
	fmt.Fprint(line, "a message\n")
	line.turn(now)
	line.End("a")
	line.turn(now)
	fmt.Fprint(line, "Run it? ")
	line.turn(now) // a question is not overwritten
	line.LineEnded()
	line.turn(now)
	line.End("b")
	if line.turn(now) {
		t.Error("a task is shown after the end of all tasks")
	}
	line.Show(strings.Repeat("界", 100))
	line.Close()
	line.Show("too late")

	got, err := os.ReadFile(file.Name())
	if err != nil {
		t.Fatal(err)
	}
	const erased = "\r\x1b[K"
	want := "S compiling a, 7 s" + erased + "a message\n" +
		"S compiling a, 7 s" + erased + "S compiling b, 7 s" + erased + "Run it? " +
		"S compiling b, 7 s" + erased + strings.Repeat("界", 39) + erased
	text := strings.NewReplacer("| comp", "S comp", "/ comp", "S comp", "- comp", "S comp", `\ comp`, "S comp").Replace(string(got))
	if text != want {
		t.Errorf("got  %q\nwant %q", text, want)
	}
}
