// Package toolchain builds the modules of tools with the compilers of their languages.
package toolchain

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/wasmtool/wasmtool/internal/each"
)

// Step is a program that Build runs in the directory of the tool.
type Step struct {
	// Args are the program and its arguments.
	Args []string
	// Env are variables in addition to the variables of this process, as NAME=VALUE.
	Env []string
	// produces is the file that the step makes if it is not the output itself.
	produces string
}

// String returns the step as a line for a shell.
func (s Step) String() string { return strings.Join(append(s.Env, s.Args...), " ") }

// Language is a language with a compiler for WebAssembly.
type Language struct {
	// Name is the name of the language as in 'wasmtool new --lang'.
	Name string
	// sources match the files that show the language.
	sources string
	// plan returns the steps that build the module out from the sources in dir. The error says how
	// to install what is missing.
	plan func(ctx context.Context, dir, out string, reactor bool) ([]Step, error)
}

// languages are tried in this order.
var languages = []Language{
	{"go", "go.mod", planGo},
	{"rust", "*.rs", planRust},
	{"c", "*.c", planC},
	{"assemblyscript", "*.ts", planAssemblyScript},
}

// Names returns the names of all languages.
func Names() []string { return each.Of(languages, func(l Language) string { return l.Name }) }

// ErrLanguage is the error of a directory whose language is not known.
var ErrLanguage = errors.New("language")

// Find returns the language with a name. Without a name, it returns the language of the sources in
// dir. The error is ErrLanguage.
func Find(dir, name string) (Language, error) {
	if i := slices.IndexFunc(languages, func(l Language) bool { return l.Name == name }); i >= 0 {
		return languages[i], nil
	}
	var found []Language
	for _, l := range languages {
		if files, _ := filepath.Glob(filepath.Join(dir, l.sources)); name == "" && len(files) > 0 {
			found = append(found, l)
		}
	}
	switch {
	case name != "":
		return Language{}, fmt.Errorf("there is no %w %q; choose one of %s", ErrLanguage, name, strings.Join(Names(), ", "))
	case len(found) == 0:
		return Language{}, fmt.Errorf("no source was found, so the %w is not known; it is go.mod, or a file that ends with .rs, .c or .ts", ErrLanguage)
	case len(found) > 1:
		names := each.Of(found, func(l Language) string { return l.Name })
		return Language{}, fmt.Errorf("there are sources of %s; name the %w with --lang", strings.Join(names, " and "), ErrLanguage)
	}
	return found[0], nil
}

// MissingError says that a compiler is not installed, and how to install it.
type MissingError struct{ What, Install string }

func (e *MissingError) Error() string { return e.What + " was not found; " + e.Install }

// FailedError says that a step failed. Output is what it printed.
type FailedError struct {
	Step   Step
	Output []byte
}

func (e *FailedError) Error() string { return "'" + e.Step.String() + "' failed" }

// Build builds the module out, a path below dir, and calls onStep before each step. The module
// appears only when all steps have succeeded. The error is a *MissingError, a *FailedError, an
// error of the file system, or the error of ctx.
func (l Language) Build(ctx context.Context, dir, out string, reactor bool, onStep func(Step)) error {
	// Compilers read the extension, so it stays.
	made := filepath.Join(filepath.Dir(out), ".new-"+filepath.Base(out))
	steps, err := l.plan(ctx, dir, made, reactor)
	if err != nil {
		return err
	}
	defer os.Remove(filepath.Join(dir, made)) // if a step fails
	for _, step := range steps {
		onStep(step)
		cmd := exec.CommandContext(ctx, step.Args[0], step.Args[1:]...)
		cmd.Dir, cmd.Env = dir, append(os.Environ(), step.Env...)
		if output, err := cmd.CombinedOutput(); err != nil {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			return &FailedError{step, output}
		}
	}
	if last := steps[len(steps)-1]; last.produces != "" {
		found, _ := filepath.Glob(filepath.Join(dir, last.produces))
		if len(found) != 1 {
			return fmt.Errorf("'%s' made %d modules in %s; a tool has one", last, len(found), filepath.Dir(last.produces))
		}
		module, err := os.ReadFile(found[0])
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, made), module, 0o666)
		}
		if err != nil {
			return err
		}
	}
	return os.Rename(filepath.Join(dir, made), filepath.Join(dir, out))
}

// output returns what a program prints, without the end of the line; "" if it fails.
func output(ctx context.Context, program string, args ...string) string {
	text, err := exec.CommandContext(ctx, program, args...).Output()
	if err != nil {
		return ""
	}
	return string(bytes.TrimSpace(text))
}

// installed returns the first of these programs that is installed, or "".
func installed(programs ...string) string {
	for _, program := range programs {
		if path, err := exec.LookPath(program); err == nil && program != "" {
			return path
		}
	}
	return ""
}
