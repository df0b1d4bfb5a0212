package cli

import (
	"errors"
	"os"
	"path/filepath"

	"github.com/wasmtool/wasmtool/registry"
	"github.com/wasmtool/wasmtool/registry/policy/remembered"
	"github.com/wasmtool/wasmtool/registry/standard"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// storesDir is where answers and grants are kept.
func storesDir() string {
	return filepath.Join(standard.StateDir(standard.Options{}), "approvals")
}

// openStores opens what was approved and granted for good. Where there is nothing yet, it
// makes the directory when something may be kept, and otherwise returns nil.
func openStores(create bool) (*remembered.Files, error) {
	dir := storesDir()
	if _, missing := os.Stat(dir); errors.Is(missing, os.ErrNotExist) && !create {
		return nil, nil
	}
	files, err := remembered.Open(dir, remembered.Options{})
	if err != nil {
		return nil, (&tool.Error{Code: tool.CodePermissionDenied, Message: err.Error()}).WithCause(err)
	}
	return files, nil
}

// openForCalls opens the stores for calls, of which questions may be answered for good. When
// they cannot be made, it returns nil: nothing is kept, so each answer is for one call.
func openForCalls(asking bool) (*remembered.Files, error) {
	_, missing := os.Stat(storesDir())
	files, err := openStores(asking)
	if errors.Is(missing, os.ErrNotExist) {
		err = nil
	}
	return files, err
}

// approvals are the options for an approver, nil for none, and the stores.
func approvals(approver registry.Approver, files *remembered.Files) registry.ApprovalOptions {
	if files == nil {
		return registry.ApprovalOptions{Approver: approver}
	}
	return registry.ApprovalOptions{Approver: approver, Store: files.Approvals, Grants: files.Grants}
}

func closeStores(files *remembered.Files) {
	if files != nil {
		_ = files.Close() // a directory, to which nothing is written
	}
}
