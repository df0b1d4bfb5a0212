package commands

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// noFiles are the commands that open no file of their arguments, or one with a random name.
const noFiles = "arch basename curl dirname echo expr factor false getopt help hostname id mktemp nohup nproc printenv " +
	"printf seq sleep timeout tr true uname which whoami xargs yes"

// A ".." after a link is the parent of the directory that the link refers to, in each command that
// opens files: TO/x is another file than x.
func TestDotDotAfterLink(t *testing.T) {
	lines := map[string]string{
		"[": "[ -s TO/only ]", "awk": "awk {print} TO/x", "cat": "cat TO/x", "chmod": "chmod -v a+x TO/only",
		"cmp": "cmp TO/x x", "cp": "cp TO/x TO/y", "date": "date -r TO/only", "diff": "diff TO/x x",
		"comm": "comm TO/x x", "du": "du -a TO/only", "env": "env -C TO cat x", "egrep": "egrep -r . TO", "fgrep": "fgrep e TO/x",
		"find": "find TO/only", "grep": "grep -r e TO", "gunzip": "gunzip TO/z.gz", "gzip": "gzip TO/only",
		"join": "join TO/x x", "jq": "jq -R . TO/x", "ln": "ln TO/only TO/y", "ls": "ls TO", "mkdir": "mkdir TO/y",
		"mv": "mv TO/only TO/y", "readlink": "readlink TO/link", "realpath": "realpath --relative-to=TO TO/x", "rm": "rm TO/only",
		"rmdir": "rmdir TO/empty", "sed": "sed -i s/e/E/ TO/x", "sort": "sort -o TO/y TO/x", "split": "split TO/x TO/y", "stat": "stat -c %s TO/x",
		"tar": "tar -cf TO/y -C TO only", "tee": "tee TO/y", "test": "test -s TO/only", "touch": "touch TO/y",
		"tree": "tree TO", "truncate": "truncate -s1 TO/only", "uniq": "uniq TO/x TO/y", "unzip": "unzip -l TO/z.gz",
		"zcat": "zcat TO/z.gz", "zip": "zip -qj TO/y.zip TO/only",
	}
	for _, name := range slices.Sorted(maps.Keys(Table(nil))) {
		if slices.Contains(strings.Fields(noFiles), name) {
			continue
		}
		line := lines[name]
		if line == "" {
			line = name + " TO/x"
		}
		t.Run(name, func(t *testing.T) {
			if name != "awk" { // it changes the working directory
				t.Parallel()
			}
			want := runWithLinks(t, line, "other", ".")
			if strings.Contains(want, "No such file") {
				t.Fatal(want)
			}
			for _, to := range []string{"link/..", "there/link/..", "link/../inner/.."} {
				if got := runWithLinks(t, line, to, "."); got != want {
					t.Errorf("with %s: %s\nwant %s", to, got, want)
				}
			}
			want = runWithLinks(t, line, "..", "other/inner")
			if got := runWithLinks(t, line, "..", "link"); got != want {
				t.Errorf("in the directory link: %s\nwant %s", got, want)
			}
		})
	}
	for _, line := range []string{"cat no/../x", "cat x/../x", "cat x/..", "cat x/../..", "tee no/../y", "mkdir no/..", "cp x no/../y"} {
		if got := runWithLinks(t, line, "", "."); !strings.Contains(got, "No such file or directory") && !strings.Contains(got, "Not a directory") {
			t.Errorf("%s: %s", line, got)
		}
	}
}

// runWithLinks runs a command in the directory dir below a new directory with links. In line, TO
// stands for to. It returns the output with TO for to, the status, and the files afterwards.
func runWithLinks(t *testing.T, line, to, dir string) string {
	t.Helper()
	top := t.TempDir()
	day := time.Date(2024, 3, 5, 6, 7, 8, 0, time.UTC)
	var zipped bytes.Buffer
	w := gzip.NewWriter(&zipped)
	fmt.Fprint(w, "zipped\n")
	w.Close()
	for name, content := range map[string]string{
		"x": "top\n", "other/x": "here\n", "other/only": "only\n", "other/inner/x": "inner\n", "other/empty/x": "", "there/x": "there\n",
		"other/z.gz": zipped.String(),
	} {
		file := filepath.Join(top, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(file, day, day); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Remove(filepath.Join(top, "other/empty/x")); err != nil {
		t.Fatal(err)
	}
	for link, target := range map[string]string{"link": "other/inner", "there/link": "../other/inner", "other/link": "inner"} {
		if err := os.Symlink(target, filepath.Join(top, link)); err != nil {
			t.Fatal(err)
		}
	}
	var out bytes.Buffer
	words := strings.Fields(strings.ReplaceAll(line, "TO", to))
	status := runCommand(t.Context(), filepath.Join(top, dir), words, strings.NewReader("in\n"), &out, &out)
	output := strings.ReplaceAll(out.String(), top, "")
	if to != "" {
		output = strings.ReplaceAll(output, to, "TO")
	}
	return fmt.Sprintf("status %d, output %q, files\n%s", status, output, listFiles(t, top))
}
