package compile

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	goruntime "runtime"
	"runtime/debug"
	"sync"

	"golang.org/x/sys/cpu"

	"github.com/wasmtool/wasmtool/internal/osreason"
	"github.com/wasmtool/wasmtool/runtime/internal/compile/cache"
	"github.com/wasmtool/wasmtool/runtime/rewrite"
)

// diskCache is the cache on disk as a Runtime uses it. A problem with the cache never prevents a
// module from running; the first problem is logged. A nil *diskCache stores nothing.
type diskCache struct {
	cache  *cache.Cache
	log    *slog.Logger
	warned sync.Once
}

func openDiskCache(o Options) *diskCache {
	if o.CacheDir == "" {
		return nil
	}
	d := &diskCache{log: o.Log}
	var err error
	if engineIdentity() == "" {
		err = errors.New("the version of the engine is unknown")
	} else {
		d.cache, err = cache.Open(o.CacheDir, o.CacheMaxBytes)
	}
	if err != nil {
		d.warn(err)
		return nil
	}
	return d
}

// NotKept is the message of the warning that the disk cache cannot be used.
const NotKept = "compiled modules are not kept on disk"

func (d *diskCache) warn(reason error) {
	d.warned.Do(func() { d.log.Warn(NotKept, "reason", reason) })
}

// slot is the place of one module in the cache, while that module is compiled.
type slot struct {
	disk    *diskCache
	digest  string
	key     cache.Key
	scratch *cache.Scratch // nil if the disk cannot be used; the slot then stores nothing
	// temporary is the directory to use without a scratch; empty means any.
	temporary string
	// stored reports whether storing has stored the entry, or tried to.
	stored bool
}

func (d *diskCache) slot(digest string) *slot {
	s := &slot{disk: d, digest: digest, key: CacheKey(digest)}
	if d != nil {
		s.use(d.cache.Scratch())
	}
	return s
}

// lateSlot returns the slot of a late part. dir is the directory that the engine has for its code.
func (d *diskCache) lateSlot(digest string, part rewrite.Part, dir string) *slot {
	s := &slot{disk: d, digest: digest, key: lateKey(digest, part), temporary: dir}
	if d != nil && dir != "" {
		s.use(d.cache.ScratchAt(dir))
	}
	return s
}

// use gives the slot an empty directory, if there is one.
func (s *slot) use(scratch *cache.Scratch, err error) {
	if s.scratch = scratch; err != nil {
		s.disk.warn(err)
	}
}

func (s *slot) close() {
	if s.scratch != nil {
		s.scratch.Close()
	}
}

// dir returns the directory where the engine finds and leaves code; empty means none.
func (s *slot) dir() string {
	if s.scratch == nil {
		return ""
	}
	return s.scratch.Dir()
}

// fetch returns the stored module and puts its code into dir.
func (s *slot) fetch() (m rewritten, ok bool) {
	if s.scratch == nil {
		return m, false
	}
	entry, ok := s.scratch.Fetch(s.key)
	if !ok {
		return m, false
	}
	if err := json.Unmarshal(entry.Facts, &m.report); err != nil || m.report == nil {
		s.discard()
		return rewritten{}, false
	}
	m.wasm = entry.Module
	return m, true
}

// discard deletes an entry that was fetched and cannot be used.
func (s *slot) discard() {
	s.disk.cache.Delete(s.key)
	s.scratch.Close()
	s.use(s.disk.cache.ScratchAt(s.scratch.Dir()))
}

// prepare gets the slot ready for a compilation. If the result could not be stored, the engine gets
// no directory, so that it does not write the code.
func (s *slot) prepare() {
	if s.scratch != nil && !s.scratch.Writable() {
		s.giveUp(errors.New("the directory cannot be written"))
	}
}

// giveUp makes the slot store nothing.
func (s *slot) giveUp(reason error) {
	s.disk.warn(reason)
	s.close()
	s.scratch = nil
}

// failed reports whether err means that dir could not be used, for example because the disk is
// full. If so, the slot stores nothing from then on.
func (s *slot) failed(err error) bool {
	if s.scratch == nil || err == nil {
		return false
	}
	reason, found := osreason.Of(err)
	if !found && errors.Is(err, ErrScratch) {
		reason, found = ErrScratch, true
	}
	if found {
		s.giveUp(reason)
	}
	return found
}

// storing begins to store a module with the code that a child left in dir, while the engine reads
// that code. The function that it returns waits for that, and keeps the entry if keep is set.
func (s *slot) storing(m rewritten) (finish func(keep bool)) {
	if s.scratch == nil {
		return func(bool) {}
	}
	done, scratch := make(chan error, 1), s.scratch
	go func() {
		entry, err := s.entryOf(m)
		if err == nil {
			err = scratch.Append(s.key, entry)
		}
		done <- err
	}()
	return func(keep bool) {
		err := <-done
		if !keep || s.scratch == nil {
			return
		}
		if err == nil {
			err = s.scratch.Commit(s.key)
		}
		s.stored = true
		if err != nil {
			s.disk.warn(err)
		}
	}
}

// entryOf returns the entry for a module.
func (s *slot) entryOf(m rewritten) (cache.Entry, error) {
	facts, err := json.Marshal(m.report)
	if err != nil {
		return cache.Entry{}, err
	}
	return s.entry(m.wasm, facts)
}

// entry returns an entry with the digest of the slot.
func (s *slot) entry(content, facts []byte) (e cache.Entry, err error) {
	e.Module, e.Facts = content, facts
	_, err = hex.Decode(e.Source[:], []byte(s.digest))
	return e, err
}

// store stores a module with the code that the engine left in dir, unless that was done before.
func (s *slot) store(m rewritten) {
	if s.scratch == nil || s.stored {
		return
	}
	entry, err := s.entryOf(m)
	s.put(entry, err)
}

// storeOnly stores bytes for which the engine has no code.
func (s *slot) storeOnly(content []byte) {
	if s.scratch == nil {
		return
	}
	dir := filepath.Join(s.dir(), "none")
	err := os.Mkdir(dir, 0o700)
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "none"), nil, 0o600)
	}
	var entry cache.Entry
	if err == nil {
		entry, err = s.entry(content, nil)
	}
	s.put(entry, err)
}

// put stores an entry, unless err is an error of making it.
func (s *slot) put(entry cache.Entry, err error) {
	if err == nil {
		err = s.scratch.Store(s.key, entry)
	}
	if err != nil {
		s.disk.warn(err)
	}
}

// CacheKey returns the cache key of a module for this program on this machine; digest is in hex.
// Everything that changes the rewritten module, the report or the engine's code is part of the key.
// So every entry with the key can be used.
func CacheKey(digest string) cache.Key {
	return cache.NewKey([]byte(digest), []byte(rewriterBuild()), []byte(engineBuild()))
}

// lateKey is CacheKey for a late part of a split module.
func lateKey(digest string, part rewrite.Part) cache.Key {
	return cache.NewKey([]byte(digest), []byte(rewriterBuild()), []byte(engineBuild()), fmt.Appendf(nil, "part %d", part))
}

// Usable reports whether this program would use an entry with the key for the module, whole or
// split.
func Usable(digest string, key cache.Key) bool {
	if key == CacheKey(digest) {
		return true
	}
	for part := rewrite.Early + 1; part <= rewrite.MaxParts; part++ {
		if key == lateKey(digest, part) {
			return true
		}
	}
	return false
}

// rewriterBuild identifies what the rewriter does and which fields a report has. The sample makes
// every field of a report part of the key. So an entry that was stored before a field was added is
// not found.
func rewriterBuild() string {
	sample, err := json.Marshal(rewrite.Report{
		Imports: make([]rewrite.Import, 1), Exports: make([]rewrite.Export, 1),
		Memory: &rewrite.Limits{}, Producers: make([]rewrite.Producer, 1), Meter: &rewrite.MeterReport{},
	})
	if err != nil {
		sample = []byte(err.Error())
	}
	return fmt.Sprintf("rewrite %d %+v %s", rewrite.Revision, rewriting(false), sample)
}

// engineBuild identifies the code that the engine makes. The processor features are the features
// that the engine checks; machines that share a directory may differ in them.
func engineBuild() string {
	return fmt.Sprintf("wazero %s %s/%s %t", engineIdentity(), goruntime.GOOS, goruntime.GOARCH, []bool{
		cpu.X86.HasSSE41, cpu.X86.HasBMI1, cpu.X86.HasBMI2, cpu.X86.HasPOPCNT, cpu.ARM64.HasATOMICS,
	})
}

// engineIdentity returns the version of the engine that this program was built with. Where the
// build does not record it, as in tests, the result is the size and time of the program's own file.
// So no other build runs the code that this build stored. If the file cannot be examined either,
// the result is empty.
func engineIdentity() string {
	if version := EngineVersion(); version != "" {
		return version
	}
	path, err := os.Executable()
	if err != nil {
		return ""
	}
	info, err := os.Stat(path)
	if err != nil {
		return ""
	}
	return fmt.Sprintf("of a program of %d bytes and %d", info.Size(), info.ModTime().UnixNano())
}

// EngineVersion returns the version of the WASM engine that this program was built with. It returns
// "" where the build does not record the version, as in tests.
func EngineVersion() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	for _, m := range info.Deps {
		if m.Path == "github.com/tetratelabs/wazero" {
			if m.Replace != nil {
				return m.Replace.Version + m.Replace.Sum
			}
			return m.Version
		}
	}
	return ""
}
