package cli

import (
	"errors"
	"io"
	"os"
	"path/filepath"

	"github.com/wasmtool/wasmtool/registry/policy/approvals"
	"github.com/wasmtool/wasmtool/registry/policy/grants"
	"github.com/wasmtool/wasmtool/registry/standard"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// storesDir is where answers and grants are kept.
func storesDir() string {
	return filepath.Join(standard.StateDir(standard.Options{}), "approvals")
}

// openStore opens a store in storesDir. Where there is nothing yet, it is made only when
// something may be kept; otherwise found is false.
func openStore[S io.Closer](make bool, open func(dir string) (S, error)) (store S, found bool, err error) {
	dir := storesDir()
	if _, missing := os.Stat(dir); errors.Is(missing, os.ErrNotExist) && !make {
		return store, false, nil
	}
	if store, err = open(dir); err != nil {
		return store, false, (&tool.Error{Code: tool.CodePermissionDenied, Message: err.Error()}).WithCause(err)
	}
	return store, true, nil
}

func openApprovalFile(dir string) (*approvals.File, error) {
	return approvals.Open(dir, approvals.Options{})
}

func openGrantFile(dir string) (*grants.File, error) { return grants.Open(dir, grants.Options{}) }

// remembered are what was approved and granted for good; each is nil where there is
// nothing.
type remembered struct {
	approvals *approvals.File
	grants    *grants.File
}

// openRemembered opens what there is. Where there is nothing, approvals are made when
// somebody can be asked.
func openRemembered(asking bool) (remembered, error) {
	var r remembered
	_, missing := os.Stat(storesDir())
	store, found, err := openStore(asking, openApprovalFile)
	switch {
	case found:
		r.approvals = store
	case err != nil && !errors.Is(missing, os.ErrNotExist):
		return r, err
		// Else answers are for one call, since nothing can be kept.
	}
	given, found, err := openStore(false, openGrantFile)
	if found {
		r.grants = given
	}
	if err != nil {
		return r, errors.Join(err, r.close())
	}
	return r, nil
}

// enter hands them to a registry.
func (r remembered) enter(set *toolSet) {
	if r.approvals != nil {
		set.approvals = r.approvals
	}
	if r.grants != nil {
		set.grants = r.grants
	}
}

func (r remembered) close() error {
	var errs []error
	if r.approvals != nil {
		errs = append(errs, r.approvals.Close())
	}
	if r.grants != nil {
		errs = append(errs, r.grants.Close())
	}
	return errors.Join(errs...)
}
