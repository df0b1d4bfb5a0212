package manifests

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strconv"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/hostfuncs/secret"
	"github.com/wasmtool/wasmtool/internal/jsonschema"
	"github.com/wasmtool/wasmtool/internal/stricttoml"
)

// invalidArgument is the error code of a call whose arguments do not fit the parameters.
const invalidArgument = "invalid_argument"

// maxBodyFiles limits the bytes of all files of a manifest with bodies of answers.
const maxBodyFiles = 4 << 20

// examples checks the rules that involve more than one key of an example.
func (c *checker) examples(m *Manifest) {
	if c.HasError(c.At("examples")) {
		return
	}
	if len(m.Examples) > MaxExamples {
		c.Errorf(c.At("examples"), "has %d examples; the limit is %d", len(m.Examples), MaxExamples)
		return
	}
	titles := make(map[string]bool)
	for i := range m.Examples {
		e := &m.Examples[i]
		at := func(steps ...string) stricttoml.Place {
			return c.At(append([]string{"examples", strconv.Itoa(i)}, steps...)...)
		}
		if titles[e.Title] {
			c.Errorf(at("title"), "%s is the title of an earlier example; say what is different here", stricttoml.Quote(e.Title))
		}
		titles[e.Title] = true
		if problem := e.conflict(); problem != "" {
			c.Errorf(at(), "%s", problem)
		}
		if !e.Now.IsZero() && !m.Permissions.Clock {
			c.Errorf(at("now"), "the tool does not ask for the clock; add permissions.clock = true, or leave now out")
		}
		if e.Seed != 0 && !m.Permissions.Random {
			c.Errorf(at("seed"), "the tool does not ask for randomness; add permissions.random = true, or leave seed out")
		}
		if (e.Store != nil || e.StoreAfter != nil) && m.Permissions.KV == capability.ModeNone {
			c.Errorf(at(), "has store or store_after, but the tool does not ask for a store; add permissions.kv, or leave them out")
		}
		c.exampleNetwork(m, e, at)
		for _, file := range slices.Concat(e.Files, e.After) {
			c.exampleMount(m, at, file.ExamplePath)
		}
		for _, path := range e.Gone {
			c.exampleMount(m, at, path)
		}
	}
}

// exampleNetwork checks the keys of an example that are about requests.
func (c *checker) exampleNetwork(m *Manifest, e *Example, at func(...string) stricttoml.Place) {
	for key, used := range map[string]bool{"network": e.Network, "http": e.HTTP != nil} {
		if used && len(m.asks) == 0 && m.REST == nil && m.MCP == nil {
			c.Errorf(at(key), "the tool does not ask for the network; remove %s", key)
		}
	}
	if e.Network && e.HTTP != nil {
		c.Errorf(at("network"), "the example has the answers in http and needs no network; remove network")
	}
	if e.Network && e.Secrets != nil {
		c.Errorf(at("secrets"), "are test values, which are never sent to a server; write the answers into [[examples.http]] and remove network")
	}
	c.exampleRequests(e, at)
	if c.HasError(c.At("permissions")) || c.HasError(c.At("rest")) {
		return
	}
	for name, value := range e.Secrets {
		asked := slices.ContainsFunc(m.Permissions.Net, func(n capability.Net) bool {
			return slices.ContainsFunc(n.Secrets, func(s capability.SecretUse) bool { return s.Name == name })
		})
		switch {
		case !asked:
			c.Errorf(at("secrets", name), "the tool does not ask for this secret; remove it")
		case len(value) < secret.MinScrub:
			c.Errorf(at("secrets", name), "has %d bytes; write at least %d, because shorter secrets are not hidden in the output", len(value), secret.MinScrub)
		}
	}
}

// exampleRequests checks the rules that involve more than one key of the answers of an example.
func (c *checker) exampleRequests(e *Example, at func(...string) stricttoml.Place) {
	if len(e.HTTP) > MaxExampleRequests {
		c.Errorf(at("http"), "has %d answers; the limit is %d", len(e.HTTP), MaxExampleRequests)
	}
	for i, r := range e.HTTP {
		if r.BodyFile != "" && r.Body.Set {
			c.Errorf(at("http", strconv.Itoa(i), "body_file"), "the answer also has body; keep one of the two")
		}
	}
}

// bodyFiles reads the files with bodies of answers from the manifest's directory.
func (c *checker) bodyFiles(own files, m *Manifest) {
	left := maxBodyFiles
	for i := range m.Examples {
		for j := range m.Examples[i].HTTP {
			r := &m.Examples[i].HTTP[j]
			if r.BodyFile == "" {
				continue
			}
			data, err := readFile(own, r.BodyFile, left)
			if err != nil {
				c.Errorf(c.At("examples", strconv.Itoa(i), "http", strconv.Itoa(j), "body_file"), "%s %s", stricttoml.Quote(r.BodyFile), err)
				continue
			}
			left -= len(data)
			r.Body = ExampleBody{Text: string(data), Set: true}
		}
	}
}

// exampleMount reports a file in a mount that the tool does not ask for, or in the scratch mount.
func (c *checker) exampleMount(m *Manifest, at func(...string) stricttoml.Place, path ExamplePath) {
	if !slices.Contains(m.ExampleMounts(), path.Mount) {
		c.Errorf(at(), "%s is in the mount %q, which the tool does not ask for, or which is empty when a call begins; name a mount of [[permissions.fs]], as in \"mount:path\"", stricttoml.Quote(path.String()), path.Mount)
	}
}

// exampleCallsFit checks the arguments of examples against the parameters.
func (c *checker) exampleCallsFit(m *Manifest) {
	if c.HasError(c.At("examples")) {
		return
	}
	for i, e := range m.Examples {
		in := []string{"examples", strconv.Itoa(i)}
		for j, before := range e.Before {
			c.fit(m, before, append(slices.Clone(in), "before", strconv.Itoa(j)))
		}
		if e.Error != invalidArgument {
			c.fit(m, e.Arguments, append(in, "arguments"))
		}
	}
}

// fit prepares arguments from the manifest in the same way as the arguments of a call. A mistake
// that only causes a warning in a call is an error here.
func (c *checker) fit(m *Manifest, raw json.RawMessage, steps []string) (jsonschema.Arguments, bool) {
	arguments, err := m.Parameters.Prepare(context.Background(), raw)
	var violations jsonschema.Violations
	if err != nil && !errors.As(err, &violations) {
		violations = jsonschema.Violations{{Message: err.Error()}}
	}
	for _, v := range violations {
		c.Errorf(c.At(slices.Concat(steps, pointerSteps(v.Pointer))...), "%s", v.Message)
	}
	for _, warning := range arguments.Warnings {
		c.Errorf(c.At(steps...), "the tool would not receive all arguments: %s", warning)
	}
	return arguments, err == nil
}
