package applypatch

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/wasmtool/wasmtool/guest-examples/internal/testprogram"
)

// For diffs of git diff and diff -u with any number of context lines, the patched first file is
// equal to the second file, including its last line end.
func TestSameAsDiff(t *testing.T) {
	git, diff := testprogram.Path(t, "git"), testprogram.Path(t, "diff")
	random := rand.New(rand.NewPCG(1, 2))
	for round := range 100 {
		before, after := randomEdit(random)
		context := fmt.Sprintf("-U%d", random.IntN(4))
		command := []string{git, "diff", "--no-index", "--no-color", context, "before", "after"}
		if round%2 == 0 {
			command = []string{diff, context, "before", "after"}
		}
		patch := differences(t, command, before, after)
		if patch == "" {
			continue
		}
		parts, err := parse(patch)
		if err != nil {
			t.Fatalf("%v in\n%s", err, patch)
		}
		content, notes, err := merge([]byte(before), parts[0].hunks)
		if err != nil || string(content) != after || len(notes) > 0 {
			t.Fatalf("%q became %q, %v, %q; want %q; the patch is\n%s", before, content, err, notes, after, patch)
		}
	}
}

// A diff applied to a file that has other changes gives the same content as git apply and patch,
// wherever these two agree.
func TestSameAsGitApply(t *testing.T) {
	git, diff := testprogram.Path(t, "git"), testprogram.Path(t, "diff")
	program := testprogram.Path(t, "patch")
	random := rand.New(rand.NewPCG(3, 4))
	agreed := 0
	for range 100 {
		before, after := randomEdit(random)
		patch := differences(t, []string{diff, "-U3", "before", "after"}, before, after)
		shifted := strings.Repeat("above\n", random.IntN(3)) + before
		if random.IntN(2) == 0 && strings.HasSuffix(before, "\n") {
			shifted += strings.Repeat("below\n", random.IntN(3)) + "end"
		}
		if patch == "" {
			continue
		}
		want, gitErr := applied(t, []string{git, "apply", "patch"}, shifted, patch)
		byPatch, patchErr := applied(t, []string{program, "-s", "-F0", "before", "patch"}, shifted, patch)
		if gitErr != nil || patchErr != nil || want != byPatch {
			continue
		}
		agreed++
		parts, err := parse(patch)
		if err != nil {
			t.Fatal(err)
		}
		content, _, err := merge([]byte(shifted), parts[0].hunks)
		if err != nil || string(content) != want {
			t.Errorf("%q became %q, %v; want %q; the patch is\n%s", shifted, content, err, want, patch)
		}
	}
	if agreed < 30 {
		t.Errorf("only %d patches were compared", agreed)
	}
}

// randomEdit returns a text of a few different lines, and the same text with some lines changed.
// Each may lack the line end of its last line.
func randomEdit(random *rand.Rand) (before, after string) {
	var old, now []string
	for range 1 + random.IntN(24) {
		old = append(old, fmt.Sprintf("line %d\n", random.IntN(8)))
	}
	for _, text := range old {
		switch random.IntN(12) {
		case 0:
		case 1:
			now = append(now, "changed\n")
		case 2:
			now = append(now, text, fmt.Sprintf("line %d\n", random.IntN(8)))
		default:
			now = append(now, text)
		}
	}
	return randomEnd(random, strings.Join(old, "")), randomEnd(random, strings.Join(now, ""))
}

func randomEnd(random *rand.Rand, whole string) string {
	if random.IntN(2) == 0 {
		return strings.TrimSuffix(whole, "\n")
	}
	return whole
}

// differences runs a program that compares the file before with the file after.
func differences(t *testing.T, command []string, before, after string) string {
	t.Helper()
	dir := t.TempDir()
	for name, content := range map[string]string{"before": before, "after": after} {
		writeFile(t, filepath.Join(dir, name), content)
	}
	c := exec.Command(command[0], command[1:]...)
	c.Dir = dir
	out, err := c.Output()
	var status *exec.ExitError
	if errors.As(err, &status) && status.ExitCode() == 1 {
		err = nil // the files differ
	}
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

// applied runs a program that applies a patch to a file with the content before, and returns the
// new content of that file.
func applied(t *testing.T, command []string, before, patch string) (string, error) {
	t.Helper()
	dir := t.TempDir()
	patch = strings.Replace(patch, "+++ after", "+++ before", 1)
	for name, content := range map[string]string{"before": before, "patch": patch} {
		writeFile(t, filepath.Join(dir, name), content)
	}
	c := exec.Command(command[0], command[1:]...)
	c.Dir = dir
	if err := c.Run(); err != nil {
		return "", err
	}
	content, err := os.ReadFile(filepath.Join(dir, "before"))
	if err != nil {
		t.Fatal(err)
	}
	return string(content), nil
}
