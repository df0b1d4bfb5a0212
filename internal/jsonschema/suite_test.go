package jsonschema

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/wasmtool/wasmtool/internal/testlevel"
)

// suiteGroup is one entry of a file of the JSON-Schema-Test-Suite.
type suiteGroup struct {
	Description string
	Schema      json.RawMessage
	Tests       []struct {
		Description string
		Data        json.RawMessage
		Valid       bool
	}
}

// TestExtraSuite runs the cases that come with the validator's module. Groups that need the network
// must be refused.
func TestExtraSuite(t *testing.T) {
	out, err := exec.Command(testlevel.Program(t, "go"), "list", "-m", "-f", "{{.Dir}}", "github.com/santhosh-tekuri/jsonschema/v6").Output()
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(strings.TrimSpace(string(out)), "testdata", "Extra-Test-Suite", "tests", "draft2020-12")
	if _, err := os.Stat(dir); err != nil {
		t.Skip("the module of the validator is here without its test suite")
	}
	run, failed := runSuite(t, dir)
	if run == 0 || len(failed) > 0 {
		t.Errorf("%d cases ran, and these failed:\n%s", run, strings.Join(failed, "\n"))
	}
}

// TestOfficialSuite runs the JSON-Schema-Test-Suite with its optional tests for formats. The suite
// is not part of this repository. Exactly the cases in testdata/suite_differences.txt fail.
func TestOfficialSuite(t *testing.T) {
	root := os.Getenv("WASMTOOL_CORPORA")
	if root == "" {
		t.Skip(`set WASMTOOL_CORPORA to a directory with the directory "JSON-Schema-Test-Suite", a clone of that project`)
	}
	list, err := os.ReadFile(filepath.Join("testdata", "suite_differences.txt"))
	if err != nil {
		t.Fatal(err)
	}
	known := strings.Split(strings.TrimSpace(string(list)), "\n")
	known = slices.DeleteFunc(known, func(line string) bool { return line == "" || line[0] == '#' })
	run, failed := runSuite(t, filepath.Join(root, "JSON-Schema-Test-Suite", "tests", "draft2020-12"))
	for _, name := range failed {
		if !slices.Contains(known, name) {
			t.Errorf("new failure: %s", name)
		}
	}
	for _, name := range known {
		if !slices.Contains(failed, name) {
			t.Errorf("passes now; remove it from the list: %s", name)
		}
	}
	t.Logf("%d cases, %d failed", run, len(failed))
}

// runSuite runs the files of a directory. It returns the number of cases and the names of the
// failed cases.
func runSuite(t *testing.T, dir string) (run int, failed []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || filepath.Ext(path) != ".json" {
			return err
		}
		rel, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		switch rel = filepath.ToSlash(rel); rel {
		case "format.json", // expects that formats are not checked
			"optional/contentSchema.json": // content is not checked
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		var groups []suiteGroup
		if err := json.Unmarshal(text, &groups); err != nil {
			return err
		}
		for _, group := range groups {
			cases, bad := runGroup(t, rel, group)
			run, failed = run+cases, append(failed, bad...)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
	return run, failed
}

func runGroup(t *testing.T, file string, group suiteGroup) (run int, failed []string) {
	t.Helper()
	name := file + ": " + group.Description
	s, err := Compile(group.Schema)
	if err != nil {
		remote := bytes.Contains(group.Schema, []byte("://")) && strings.Contains(err.Error(), "remote schemas are not read")
		if !remote {
			failed = append(failed, name)
		}
		return 0, failed
	}
	for _, one := range group.Tests {
		if err := s.Validate(t.Context(), one.Data); (err == nil) != one.Valid {
			failed = append(failed, name+": "+one.Description)
		}
	}
	return len(group.Tests), failed
}
