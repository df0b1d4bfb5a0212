package cli

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/wasmtool/wasmtool/cmd/wasmtool/internal/tooldir"
	"github.com/wasmtool/wasmtool/cmd/wasmtool/internal/typeschema"
	"github.com/wasmtool/wasmtool/manifests"
)

// keepInStep compares the schemas of a tool's manifest with the types in its source in Go. It warns
// about differences or, if write is true, removes them.
func (s Streams) keepInStep(cmd *cobra.Command, dir string, write bool) error {
	schemas, err := typeschema.Of(dir)
	var step typeschema.Step
	if err == nil {
		step, err = schemas.InStep(dir)
	}
	switch {
	case err != nil && write:
		return usage(cmd, filepath.ToSlash(dir)+": "+err.Error())
	case err != nil:
		return nil // the author writes the schemas
	case write:
		return s.writeSchemas(dir, step)
	case len(step.Differences) > 0:
		s.printWarnings(manifests.FileName + " is not in step with the types in the source; run 'wasmtool build --schema " + shellWord(dir) + "', or change it:\n" + strings.Join(step.Differences, "\n"))
	}
	return nil
}

// writeSchemas writes the files that change. If one cannot be written, or they make the manifest
// invalid, all stay as they were.
func (s Streams) writeSchemas(dir string, step typeschema.Step) error {
	before := make(map[string][]byte) // by path
	err := func() error {
		for name, content := range step.Files {
			path := filepath.Join(dir, filepath.FromSlash(name))
			old, err := os.ReadFile(path)
			if err == nil {
				err = tooldir.Replace(path, content)
			}
			if err != nil {
				return outputFailed(err)
			}
			before[path] = old
		}
		_, err := readManifest(dir)
		return err
	}()
	if err != nil {
		for path, old := range before {
			err = errors.Join(err, tooldir.Replace(path, old))
		}
		s.printWarnings("with the schemas of the types, " + manifests.FileName + " would have an error, so nothing was changed")
		return err
	}
	for _, path := range slices.Sorted(maps.Keys(before)) {
		s.message("", "wrote the schema of the types to "+oneLine(filepath.ToSlash(path)))
	}
	return nil
}
