package runtime

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/wasmtool/wasmtool/internal/callqueue"
	"github.com/wasmtool/wasmtool/runtime/internal/abi"
	"github.com/wasmtool/wasmtool/runtime/internal/guestfs"
	"github.com/wasmtool/wasmtool/runtime/internal/pool"
)

// DataPath is where a guest sees the files of its Data; see [Module.WithData].
const DataPath = abi.DataPath

// Data is a set of files that belong to a module and never change, such as the script that an
// interpreter runs. Guests see the files below [DataPath], read-only. What a guest learns from them
// follows only from their names and content, so a start that reads them can be saved. It is safe
// for concurrent use.
type Data struct{ d *guestfs.Data }

// NewData returns the files with the given content, by slash-separated path, such as "lib/a.py". It
// takes over the content, which must not change afterwards. There may be at most 20,000 files of
// 128 MiB together. The error is an [*Error] with the reason InvalidModule.
func NewData(files map[string][]byte) (*Data, error) {
	d, err := guestfs.NewData(files)
	if err != nil {
		return nil, invalid(err, "the files of the module: %s", err)
	}
	return &Data{d}, nil
}

// Digest identifies the names and content of the files, in hex.
func (d *Data) Digest() string { return d.d.Digest() }

// DataOptions describe how a guest uses its Data. The zero value is right for every guest.
type DataOptions struct {
	// Reseeds promises that the guest seeds its generators again after it has read its input. The
	// random numbers that it draws until it first looks at its Data, such as the seed of an
	// interpreter's hash tables, are then drawn once for all instances of a tenant, and replaced
	// after 10,000 calls. Without this field, a guest that draws real random numbers while it
	// starts gets a new instance for each call.
	Reseeds bool
}

// WithData returns a Module of the same code whose guests have files of their own. Its instances,
// its idle memory and its share of the calls are counted apart, so that the scripts of one
// interpreter do not displace each other; their images share memory where they are equal. Equal
// results share instances. Close the result when it is no longer needed; it works on after m was
// closed. The error is an [*Error].
func (m *Module) WithData(data *Data, o DataOptions) (*Module, error) {
	base := cmp.Or(m.c.base, m.c)
	r := base.r
	c := &compiled{
		r: r, digest: base.digest, key: fmt.Sprintf("%s with %s, reseeds: %t", base.key, data.Digest(), o.Reseeds),
		ready: base.ready, freed: make(chan struct{}), left: make(chan struct{}, 1), holders: 1,
		base: base, engine: base.engine, data: pool.Data{Files: data.d, Reseeds: o.Reseeds, Family: &base.family},
	}
	c.calls = callqueue.Class{Name: c.key}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closing.Err() != nil {
		return nil, errClosed()
	}
	if loaded, ok := r.loaded[c.key]; ok && loaded.hold() {
		return &Module{c: loaded}, nil
	}
	if !base.begin() {
		return nil, errClosed()
	}
	c.pool = r.pools.New(c.engine, c.digest, c.data)
	r.loaded[c.key] = c
	return &Module{c: c}, nil
}

// hidesData reports whether a mount lies where a guest sees its Data.
func hidesData(guestPath string) bool {
	return guestPath == DataPath || strings.HasPrefix(guestPath, DataPath+"/")
}
