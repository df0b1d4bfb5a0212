package compile

import (
	"testing"

	"github.com/wasmtool/wasmtool/runtime/rewrite"
)

// The directory of an engine is removed and created again for each late part. If another user has
// created it meanwhile, it may have code of that user, and is not used.
func TestForeignDirectoryIsNotUsed(t *testing.T) {
	foreign := t.TempDir()
	c := New(Options{})
	if dir, _, err := c.buildDir(rewritten{report: &rewrite.Report{}}, &slot{temporary: foreign}); err == nil {
		t.Errorf("the directory %s is used", dir)
	}
	c = New(Options{CacheDir: t.TempDir() + "/cache"})
	if c.disk == nil {
		t.Fatal("the cache is not used")
	}
	if _, err := c.disk.cache.ScratchAt(foreign); err == nil {
		t.Error("the directory is used as a scratch directory")
	}
}
