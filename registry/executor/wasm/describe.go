package wasm

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"time"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/internal/jsonschema"
	"github.com/wasmtool/wasmtool/manifests"
	"github.com/wasmtool/wasmtool/registry/tool"
	"github.com/wasmtool/wasmtool/runtime"
)

// Limits of a module while it describes its tool. Lower limits of the manifest apply as well.
const (
	// DescribeTime limits the running time.
	DescribeTime = 5 * time.Second
	// DescribeOutput and DescribeMemory limit output and memory, in bytes.
	DescribeOutput = 64 << 10
	DescribeMemory = 64 << 20
	// DescribeFuel limits the instructions, in units of limits.fuel.
	DescribeFuel = 2_000_000_000
)

// Describing is an Executor of a manifest with a table [describe]: the module itself describes
// its tool.
type Describing struct{ *Executor }

// Configure implements [tool.Configurable].
func (d Describing) Configure(spec tool.Spec, values map[string]string) (tool.Spec, tool.Executor, error) {
	spec, e, err := d.configure(spec, values)
	return spec, Describing{e}, err
}

// describeInput is the input of a module that describes its tool.
type describeInput struct {
	Tool    string `json:"tool"`
	Version string `json:"version"`
	// Mounts are the directories that the module may read, with their paths in the guest.
	Mounts []describeMount `json:"mounts"`
}

type describeMount struct {
	Name string `json:"name"`
	Path string `json:"path"`
}

// Describe runs the module outside of any call to get the tool's definition. The module may use
// only what grant allows, and its logs and progress are discarded.
func (d Describing) Describe(ctx context.Context, grant capability.Grant) (tool.Definition, error) {
	l, err := d.load(ctx)
	if err != nil {
		return tool.Definition{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, DescribeTime)
	defer cancel()
	m := d.o.Manifest
	input := describeInput{Tool: m.Name, Version: m.Version, Mounts: []describeMount{}}
	for _, fs := range grant.FS {
		input.Mounts = append(input.Mounts, describeMount{fs.Mount, fs.GuestPath()})
	}
	text, err := json.Marshal(input)
	if err != nil {
		return tool.Definition{}, err
	}
	call := runtime.Call{
		Entry: l.describe, Name: m.Name, Args: m.Describe.Args, Input: text, Config: m.Module.Config,
		Limits: runtime.Limits{
			Memory: min(m.Limits.Memory, DescribeMemory), Output: min(int64(m.Limits.Output), DescribeOutput), Fuel: DescribeFuel,
		},
	}
	if own := m.Limits.Fuel; own > 0 {
		call.Limits.Fuel = min(own, DescribeFuel)
	}
	if call.Bindings, err = d.bind(ctx, &tool.Invocation{Grant: grant}); err != nil {
		return tool.Definition{}, err
	}
	defer d.release(call.Bindings)
	out, err := l.module.Call(ctx, call)
	if err != nil {
		return tool.Definition{}, failure(out, err)
	}
	definition, err := parseDefinition(m, out.Output)
	if err != nil {
		return tool.Definition{}, tool.Errorf(tool.CodeBadGuest, "the tool's description of itself is invalid: %v", err)
	}
	return definition, nil
}

// parseDefinition reads a module's description of its tool and checks it as strictly as a
// manifest.
func parseDefinition(m *manifests.Manifest, output []byte) (tool.Definition, error) {
	var described *struct { // nil for null
		Description *string         `json:"description"`
		Parameters  json.RawMessage `json:"parameters"`
	}
	decoder := json.NewDecoder(bytes.NewReader(output))
	decoder.DisallowUnknownFields()
	err := decoder.Decode(&described)
	if _, after := decoder.Token(); err != nil || described == nil || after != io.EOF {
		return tool.Definition{}, fmt.Errorf(`write one JSON object with "description", "parameters" or both`)
	}
	var definition tool.Definition
	if described.Description != nil {
		if err := manifests.CheckDescription(*described.Description); err != nil {
			return tool.Definition{}, err
		}
		definition.Description = *described.Description
	}
	if described.Parameters != nil {
		schema, err := jsonschema.CompileParameters(described.Parameters)
		if err != nil {
			return tool.Definition{}, fmt.Errorf("parameters: %w", err)
		}
		if err := m.CheckParameters(schema); err != nil {
			return tool.Definition{}, err
		}
		definition.Parameters = described.Parameters
	}
	return definition, nil
}

// describeEntry returns the entry that makes the module describe its tool; the zero value if the
// manifest has no table [describe].
func (e *Executor) describeEntry(module *runtime.Module, entry runtime.Entry) (runtime.Entry, error) {
	own := e.o.Manifest.Describe
	switch {
	case own == nil:
		return runtime.Entry{}, nil
	case own.Entry == "" && entry.ABI != runtime.Command:
		return entry, e.invalidManifest("describe.args", "only a command may have this key, and the module is %s; write entry instead", formNames[entry.ABI])
	case own.Entry == "":
		return entry, nil
	case entry.ABI == runtime.Command:
		return entry, e.invalidManifest("describe.entry", "the module is a command; write args instead")
	}
	found, err := module.Entry(entry.ABI, own.Entry)
	return found, e.loadFailure(err)
}
