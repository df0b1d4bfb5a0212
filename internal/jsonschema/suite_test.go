package jsonschema

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/wasmtool/wasmtool/internal/corpora"
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
	if results := runSuite(t, dir); len(results.Passed) == 0 || len(results.Failed) > 0 {
		t.Errorf("%d cases passed, and these failed:\n%s", len(results.Passed), strings.Join(results.Failed, "\n"))
	}
}

// TestOfficialSuite runs the JSON-Schema-Test-Suite with its optional tests for formats. Exactly
// the cases in testdata/suite_differences.txt fail.
func TestOfficialSuite(t *testing.T) {
	results := runSuite(t, filepath.Join(corpora.Dir(t, "JSON-Schema-Test-Suite"), "tests", "draft2020-12"))
	results.Check(t, filepath.Join("testdata", "suite_differences.txt"))
}

// runSuite runs the files of a directory.
func runSuite(t *testing.T, dir string) (results corpora.Results) {
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
			runGroup(t, &results, rel, group)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
	return results
}

func runGroup(t *testing.T, results *corpora.Results, file string, group suiteGroup) {
	t.Helper()
	name := file + ": " + group.Description
	s, err := Compile(group.Schema)
	if err != nil {
		remote := bytes.Contains(group.Schema, []byte("://")) && strings.Contains(err.Error(), "remote schemas are not read")
		if !remote {
			results.Add(name, false)
		}
		return
	}
	for _, one := range group.Tests {
		err := s.Validate(t.Context(), one.Data)
		results.Add(name+": "+one.Description, (err == nil) == one.Valid)
	}
}
