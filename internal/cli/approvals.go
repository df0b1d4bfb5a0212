package cli

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	"github.com/wasmtool/wasmtool/registry/policy/approvals"
	"github.com/wasmtool/wasmtool/registry/standard"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// openApprovals opens what was approved for good. Where there is nothing yet, it is made
// only when somebody can be asked; otherwise it returns nil.
func (a *app) openApprovals(make bool) (*approvals.File, error) {
	dir := filepath.Join(standard.StateDir(standard.Options{}), "approvals")
	_, missing := os.Stat(dir)
	if errors.Is(missing, os.ErrNotExist) && !make {
		return nil, nil
	}
	store, err := approvals.Open(dir, approvals.Options{})
	if err != nil && errors.Is(missing, os.ErrNotExist) {
		return nil, nil // answers are for one call where nothing can be kept
	}
	if err != nil {
		return nil, (&tool.Error{Code: tool.CodePermissionDenied, Message: err.Error()}).WithCause(err)
	}
	return store, nil
}

// withApprovals calls do with what was approved, if there is anything.
func (a *app) withApprovals(do func(store *approvals.File) error) error {
	store, err := a.openApprovals(false)
	if err != nil || store == nil {
		return err
	}
	defer store.Close()
	return do(store)
}

// listApprovals returns what was approved at a terminal.
func (a *app) listApprovals(ctx context.Context) (list []approvals.Approval, err error) {
	err = a.withApprovals(func(store *approvals.File) error {
		list, err = store.List(ctx, "")
		return err
	})
	return list, err
}
