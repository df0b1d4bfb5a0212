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

// storesDir returns the directory of the stored approvals and grants.
func storesDir() string {
	return filepath.Join(standard.StateDir(standard.Options{}), "approvals")
}

// openStores opens the stored approvals and grants. If their directory does not exist, openStores
// creates it when create is true, and otherwise returns nil.
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

// openForCalls opens the stores for calls. asking means that a person can be asked. In this case
// openForCalls creates missing stores, because it may have to store the person's answers. If it
// cannot create the stores, it returns nil, and each answer is valid for one call only.
func openForCalls(asking bool) (*remembered.Files, error) {
	_, missing := os.Stat(storesDir())
	files, err := openStores(asking)
	if errors.Is(missing, os.ErrNotExist) {
		err = nil
	}
	return files, err
}

// approvals returns the options for an approver and the stores. Both may be nil.
func approvals(approver registry.Approver, files *remembered.Files) registry.ApprovalOptions {
	if files == nil {
		return registry.ApprovalOptions{Approver: approver}
	}
	return registry.ApprovalOptions{Approver: approver, Store: files.Approvals, Grants: files.Grants}
}

func closeStores(files *remembered.Files) {
	if files != nil {
		_ = files.Close() // only closes a handle of the directory, so an error loses no data
	}
}
