package registry

import (
	"maps"
	"slices"

	"github.com/wasmtool/wasmtool/registry/ledger/results"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// Keys of Result.Metadata of a result that was cut, beside tool.MetaTruncated.
const (
	// MetaOmittedBytes is how many bytes of text were left out.
	MetaOmittedBytes = "omitted_bytes"
	// MetaHandles are the handles of the texts that were cut, whole; see CallOptions.Results.
	MetaHandles = "handles"
)

// owner is for whom results of the call are kept.
func (x *execution) owner() results.Owner {
	return results.Owner{Tenant: x.call.Tenant, Session: x.call.Session}
}

// shorten is the last step: it cuts the texts of a result that are too long for whoever
// reads them, and keeps the whole of them.
func (r *Registry) shorten(x *execution, result tool.Result) tool.Result {
	if r.opts.Calls.MaxText <= 0 {
		return result
	}
	lengths := make([]int, len(result.Content))
	for i, c := range result.Content {
		lengths[i] = len(c.Text)
	}
	shares := results.Shares(lengths, r.opts.Calls.MaxText)
	omitted, handles := 0, []string{}
	content := slices.Clone(result.Content) // the executor may hold on to its own
	for i, c := range content {
		short, cut := results.Shorten(c.Text, shares[i])
		if !cut {
			continue
		}
		handle := ""
		if r.opts.Calls.Results != nil {
			handle, _ = r.opts.Calls.Results.Keep(x.owner(), c.Text)
		}
		if handle != "" {
			handles = append(handles, handle)
		}
		omitted += short.Bytes
		content[i] = tool.TextContent(short.Text(handle))
	}
	if omitted == 0 {
		return result
	}
	result.Content = content
	result.Metadata = maps.Clone(result.Metadata)
	if result.Metadata == nil {
		result.Metadata = make(map[string]any)
	}
	result.Metadata[tool.MetaTruncated], result.Metadata[MetaOmittedBytes], result.Metadata[MetaHandles] = true, omitted, handles
	return result
}
