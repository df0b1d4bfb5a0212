package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// The host splits a module by this section, and compiles a part when a call needs it; docs/abi.md
// describes it.
const partsSection = "wasmtool.parts"

// A module is split by the names of functions in partsFile. callsDir has manifests with calls that
// many users make: the functions that run in earlyCalls, or in the examples of the tools, are the
// early part. Each other manifest gives a part with the further functions that run in its calls. If
// it has the name of a tool, the examples of the tool belong to it; it may then have no calls. What
// follows a hyphen in the name of a file does not count. All are in the directory of the module.
const (
	partsFile  = "parts.txt"
	callsDir   = "parts"
	earlyCalls = "early"
)

// partHeading begins the line before the functions of a part.
const partHeading = "== "

// restBytes is the size of the code from which the functions that no call needed become a part: a
// rare call should not wait for all of them. The compiler of Go puts functions of a package next to
// each other. maxLists is the number of lists that the host allows.
const (
	restBytes = 600_000
	maxLists  = 31
)

// withParts returns a module without its names, and with the section that splits it as partsFile
// says. It ignores names that the module does not have, because another version of a library may
// lack a function.
func withParts(root, module string, wasm []byte) ([]byte, error) {
	names, stripped, err := splitCustom(wasm)
	if err != nil {
		return nil, err
	}
	content, err := os.ReadFile(filepath.Join(root, "modules", module, partsFile))
	if errors.Is(err, fs.ErrNotExist) {
		return stripped, nil
	}
	if err != nil {
		return nil, err
	}
	of := map[string]int{} // the part of each name, from 1
	parts := 0
	for line := range strings.Lines(string(content)) {
		line = strings.TrimSuffix(line, "\n")
		if strings.HasPrefix(line, partHeading) {
			parts++
		} else {
			of[line] = parts
		}
	}
	lists := make([][]uint32, parts)
	var rest []uint32
	for _, index := range slices.Sorted(maps.Keys(names)) {
		if part := of[names[index]]; part > 0 {
			lists[part-1] = append(lists[part-1], index)
		} else {
			rest = append(rest, index)
		}
	}
	sizes, err := functionSizes(stripped)
	if err != nil {
		return nil, err
	}
	return appendParts(stripped, appendRest(lists, rest, sizes)), nil
}

// appendRest divides the rest of the functions into lists of about restBytes each. The host makes a
// part of the functions in no list, so the last ones need none. sizes has the sizes of the
// functions that the module defines; imported functions come before them and have names as well.
func appendRest(lists [][]uint32, rest []uint32, sizes map[uint32]int) [][]uint32 {
	var list []uint32
	bytes := 0
	for _, f := range rest {
		size, defined := sizes[f]
		if !defined {
			continue
		}
		if bytes += size; bytes > restBytes && len(lists) < maxLists {
			lists, list, bytes = append(lists, list), nil, size
		}
		list = append(list, f)
	}
	return lists
}

// functionSizes returns the sizes of the functions that a module defines, by index.
func functionSizes(wasm []byte) (map[uint32]int, error) {
	imported := uint32(0)
	sizes := map[uint32]int{}
	err := eachSection(wasm, func(id byte, content []byte) error {
		count, n := binary.Uvarint(content)
		rest := content[max(n, 0):]
		switch id {
		case 2: // imports; Go imports only functions
			imported = uint32(count)
		case 10: // code
			for f := range uint32(count) {
				body, after, ok := cutString(rest)
				if !ok {
					return errBrokenModule
				}
				sizes[imported+f], rest = len(body), after
			}
		}
		return nil
	})
	return sizes, err
}

// eachSection calls f for the sections of a module.
func eachSection(wasm []byte, f func(id byte, content []byte) error) error {
	const header = 8
	for rest := wasm[min(header, len(wasm)):]; len(rest) > 0; {
		content, after, ok := cutString(rest[1:])
		if !ok {
			return errBrokenModule
		}
		if err := f(rest[0], []byte(content)); err != nil {
			return err
		}
		rest = after
	}
	return nil
}

// appendParts appends the section that splits a module.
func appendParts(wasm []byte, lists [][]uint32) []byte {
	content := append(binary.AppendUvarint(nil, uint64(len(partsSection))), partsSection...)
	content = binary.AppendUvarint(content, uint64(len(lists)))
	for _, list := range lists {
		content = binary.AppendUvarint(content, uint64(len(list)))
		last := uint32(0)
		for _, f := range list {
			content = binary.AppendUvarint(content, uint64(f-last))
			last = f
		}
	}
	return append(binary.AppendUvarint(append(wasm, 0), uint64(len(content))), content...)
}

var errBrokenModule = errors.New("the compiler wrote a broken module")

// splitCustom returns the names of the functions of a module, by index, and the module without
// them.
func splitCustom(wasm []byte) (names map[uint32]string, stripped []byte, err error) {
	stripped = slices.Clone(wasm[:min(8, len(wasm))])
	err = eachSection(wasm, func(id byte, content []byte) (err error) {
		if name, inside, ok := cutString(content); id == 0 && ok && name == "name" {
			names, err = functionNames(inside)
			return err
		}
		stripped = binary.AppendUvarint(append(stripped, id), uint64(len(content)))
		stripped = append(stripped, content...)
		return nil
	})
	return names, stripped, err
}

// functionNames reads the names of functions from a name section.
func functionNames(section []byte) (map[uint32]string, error) {
	names := map[uint32]string{}
	for len(section) > 1 {
		id := section[0]
		size, n := binary.Uvarint(section[1:])
		if n <= 0 || uint64(len(section)-1-n) < size {
			return nil, errBrokenModule
		}
		part := section[1+n : 1+n+int(size)]
		section = section[1+n+int(size):]
		if id != 1 {
			continue
		}
		count, n := binary.Uvarint(part)
		part = part[max(n, 0):]
		for range count {
			index, n := binary.Uvarint(part)
			name, rest, ok := cutString(part[max(n, 0):])
			if n <= 0 || !ok {
				return nil, errBrokenModule
			}
			names[uint32(index)], part = name, rest
		}
	}
	return names, nil
}

// cutString returns the string at the start of b and what follows.
func cutString(b []byte) (s string, rest []byte, ok bool) {
	size, n := binary.Uvarint(b)
	if n <= 0 || uint64(len(b)-n) < size {
		return "", nil, false
	}
	return string(b[n : n+int(size)]), b[n+int(size):], true
}

// writeParts writes partsFile of the wanted modules, or of all if none is named.
func writeParts(ctx context.Context, root string, wanted []string, stdout io.Writer) error {
	out, err := compile(ctx, root)
	if err != nil {
		return err
	}
	manifests, err := builtinManifests(root)
	if err != nil {
		return err
	}
	for _, module := range modules {
		if len(wanted) > 0 && !slices.Contains(wanted, module) {
			continue
		}
		text, err := out.partsOf(ctx, root, module, manifests)
		if err != nil {
			return fmt.Errorf("%s: %w", module, err)
		}
		if err := os.WriteFile(filepath.Join(root, "modules", module, partsFile), text, 0o644); err != nil {
			return err
		}
		fmt.Fprintf(stdout, "%s: %d functions in parts\n", module, bytes.Count(text, []byte("\n")))
	}
	return nil
}

// partsOf returns the content of partsFile for a module.
func (o output) partsOf(ctx context.Context, root, module string, manifests map[string][]byte) ([]byte, error) {
	calls, err := filepath.Glob(filepath.Join(root, "modules", module, callsDir, "*.toml"))
	if err != nil {
		return nil, err
	}
	groups := map[string]map[string][]byte{earlyCalls: maps.Clone(manifests)}
	for _, name := range calls {
		content, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		file := strings.TrimSuffix(filepath.Base(name), ".toml")
		part, _, _ := strings.Cut(file, "-") // a part can have calls of several tools
		if groups[part] == nil {
			groups[part] = map[string][]byte{}
		}
		groups[part]["calls-"+file] = content
		if manifest := manifests[part]; manifest != nil {
			groups[part][part] = manifest
			delete(groups[earlyCalls], part)
		}
	}
	order := slices.Sorted(maps.Keys(groups))
	order = append([]string{earlyCalls}, slices.DeleteFunc(order, func(part string) bool { return part == earlyCalls })...)
	var text bytes.Buffer
	known := map[string]bool{}
	for _, part := range order {
		ran, err := o.functionsOf(ctx, root, module, groups[part])
		if err != nil {
			return nil, fmt.Errorf("%s: %w", part, err)
		}
		fmt.Fprintln(&text, partHeading+part)
		for _, name := range ran {
			if !known[name] {
				known[name] = true
				fmt.Fprintln(&text, name)
			}
		}
	}
	return text.Bytes(), nil
}

// functionsOf runs the examples of the tools that use a module, and returns the sorted names of its
// functions that ran.
func (o output) functionsOf(ctx context.Context, root, module string, manifests map[string][]byte) ([]string, error) {
	temp, err := os.MkdirTemp("", "wasmtool-parts-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(temp)
	for tool, manifest := range manifests {
		if found := moduleLine.FindSubmatch(manifest); found == nil || string(found[1]) != module {
			continue
		}
		stamped, err := o.stamp(manifest)
		if err != nil {
			return nil, err
		}
		if err := os.Mkdir(filepath.Join(temp, tool), 0o700); err != nil {
			return nil, err
		}
		if err := os.WriteFile(filepath.Join(temp, tool, "tool.toml"), stamped, 0o600); err != nil {
			return nil, err
		}
	}
	if err := os.WriteFile(filepath.Join(temp, module+".wasm"), o.wasm[module], 0o600); err != nil {
		return nil, err
	}
	list := filepath.Join(temp, "functions")
	cmd := exec.CommandContext(ctx, "go", "run", "./cmd/wasmtool", "test", "--functions", list, temp)
	cmd.Dir = filepath.Join(root, "..")
	if output, err := cmd.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("wasmtool test: %w\n%s", err, output)
	}
	content, err := os.ReadFile(list)
	if err != nil {
		return nil, err
	}
	return o.namesIn(module, content)
}

// namesIn returns the sorted names of the functions of a module in a list of digests and indices.
func (o output) namesIn(module string, list []byte) ([]string, error) {
	var names []string
	for lines := bufio.NewScanner(bytes.NewReader(list)); lines.Scan(); {
		digest, index, _ := strings.Cut(lines.Text(), " ")
		if digest != o.digest(module) {
			continue
		}
		n, err := strconv.ParseUint(index, 10, 32)
		if err != nil {
			return nil, err
		}
		if name := o.names[module][uint32(n)]; name != "" {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names), nil
}
