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
	if run := runSuite(t, dir); run == 0 {
		t.Error("no case of the suite ran")
	}
}

// runSuite runs the files of a directory and returns the number of cases.
func runSuite(t *testing.T, dir string) int {
	t.Helper()
	run := 0
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || filepath.Ext(path) != ".json" {
			return err
		}
		rel, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		switch rel {
		case "format.json", // expects that formats are not checked
			filepath.Join("optional", "contentSchema.json"): // content is not checked
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
			run += runGroup(t, rel, group)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
	return run
}

func runGroup(t *testing.T, file string, group suiteGroup) int {
	t.Helper()
	s, err := Compile(group.Schema)
	if err != nil {
		remote := bytes.Contains(group.Schema, []byte("://")) && strings.Contains(err.Error(), "remote schemas are not read")
		if !remote {
			t.Errorf("%s: %s: %v", file, group.Description, err)
		}
		return 0
	}
	for _, one := range group.Tests {
		if err := s.Validate(t.Context(), one.Data); (err == nil) != one.Valid {
			t.Errorf("%s: %s: %s: valid should be %v, got %v", file, group.Description, one.Description, one.Valid, err)
		}
	}
	return len(group.Tests)
}
