package bash

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/wasmtool/wasmtool/guest-examples/shell/command"
	"github.com/wasmtool/wasmtool/guest-examples/shell/commands"
)

// commandTable has the commands for all tests. Package commands requires one table for the process.
var commandTable = sync.OnceValue(func() map[string]command.Func { return commands.Table(nil) })

// script is a test case from a file in testdata: a name and a script. The script runs in a copy of
// testdata/tree.
type script struct{ name, text string }

// scripts reads a file of test cases. Each case begins with a line "### name".
func scripts(t *testing.T, file string) []script {
	t.Helper()
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var list []script
	for _, part := range strings.Split("\n"+string(content), "\n### ")[1:] {
		name, text, _ := strings.Cut(part, "\n")
		list = append(list, script{name, strings.TrimSuffix(text, "\n") + "\n"})
	}
	return list
}

// caseFiles returns the files with test cases that give the same results in the system's bash.
func caseFiles(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("testdata", "cases", "*.txt"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no files of cases: %v", err)
	}
	return files
}

// treeOfCases is the directory testdata/tree. Its path is resolved early, because awk temporarily
// changes the working directory of the process.
var treeOfCases = sync.OnceValues(func() (string, error) { return filepath.Abs(filepath.Join("testdata", "tree")) })

// copyOfTree returns a directory with the files of the test cases.
func copyOfTree(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "tree")
	tree, err := treeOfCases()
	if err == nil {
		err = os.CopyFS(dir, os.DirFS(tree))
	}
	if err != nil {
		t.Fatal(err)
	}
	return dir
}
