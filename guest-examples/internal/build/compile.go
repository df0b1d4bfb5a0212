package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// modules are the names of the commands to compile, each in its directory below modules.
var modules = []string{"data", "documents", "files", "plan", "query", "shell", "web"}

// output is the result of a build.
type output struct {
	goVersion string
	wasm      map[string][]byte            // by module name
	names     map[string]map[uint32]string // of functions, by module name and index
}

// digest returns the SHA-256 of a module in hexadecimal.
func (o output) digest(module string) string {
	sum := sha256.Sum256(o.wasm[module])
	return hex.EncodeToString(sum[:])
}

// compile builds all modules of the source tree at root. The bytes depend only on the sources and
// on the version of Go, not on the location of the tree.
func compile(ctx context.Context, root string) (output, error) {
	version, err := goCommand(ctx, root, "env", "GOVERSION")
	if err != nil {
		return output{}, err
	}
	temp, err := os.MkdirTemp("", "wasmtool-build-")
	if err != nil {
		return output{}, err
	}
	defer os.RemoveAll(temp)
	changed, err := withChanges(ctx, root, temp)
	if err != nil {
		return output{}, err
	}
	out := output{goVersion: strings.TrimSpace(version), wasm: map[string][]byte{}, names: map[string]map[uint32]string{}}
	for _, module := range modules {
		file := filepath.Join(temp, module+".wasm")
		_, err := goCommand(ctx, changed.dir, "build", "-modfile="+changed.modfile, "-trimpath", "-buildvcs=false", "-ldflags=-w -buildid=", "-o", file, "./modules/"+module)
		if err != nil {
			return output{}, err
		}
		wasm, err := os.ReadFile(file)
		if err != nil {
			return output{}, err
		}
		if out.names[module], _, err = splitCustom(wasm); err != nil {
			return output{}, err
		}
		if out.wasm[module], err = withParts(root, module, wasm); err != nil {
			return output{}, err
		}
	}
	return out, nil
}

// goCommand runs the go command for the target and returns its output.
func goCommand(ctx context.Context, dir string, args ...string) (string, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = dir
	// Remove all environment variables of the user that would change the code.
	cmd.Env = append(slices.DeleteFunc(os.Environ(), changesCode),
		"CGO_ENABLED=0", "GOOS=wasip1", "GOARCH=wasm", "GOFLAGS=", "GOWORK=off", "GOENV=off",
		"PWD="+dir) // keeps the go command within the tree of links
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	stdout, err := cmd.Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return "", fmt.Errorf("go %s: %w\n%s", args[0], err, bytes.TrimSpace(stderr.Bytes()))
	}
	return string(stdout), err
}

func changesCode(variable string) bool {
	name, _, _ := strings.Cut(variable, "=")
	return name == "GOWASM" || name == "GOEXPERIMENT" || name == "GOFIPS140" || name == "GODEBUG"
}
