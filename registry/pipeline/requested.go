package pipeline

import (
	"net/url"
	"strings"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/internal/questiontext"
	"github.com/wasmtool/wasmtool/registry/catalogue"
	"github.com/wasmtool/wasmtool/registry/policy/shellcommand"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// requested returns the permissions that a call requests. For a script that only reads, these are
// only the permissions to read. If the script was wrongly classified as harmless, it can then do no
// harm. For a request that the arguments choose, these are only the permissions for this request,
// so that rules and approvals apply to its method and host. Tools outside the sandbox cannot be
// restricted in this way. text returns an argument.
func requested(t *catalogue.Tool, script *shellcommand.Result, text func(name string) (string, bool)) (capability.Permissions, error) {
	all := t.Spec.Permissions
	chosen, ok := t.Executor.(tool.Requester)
	switch {
	case !t.Spec.Sandboxed:
		return all, nil
	case script != nil && script.ReadOnly:
		return all.Reading(), nil
	case !ok:
		return all, nil
	}
	method, target, err := chosen.Request(text)
	if err != nil || method == "" {
		return all, err
	}
	u, err := url.Parse(target)
	if err != nil {
		return all, outside(method, target, all)
	}
	if part := all.ForRequest(method, u); len(part.Net) > 0 {
		return part, nil
	}
	return all, outside(method, target, all)
}

// outside returns the error of a request that the tool's manifest does not request.
func outside(method, target string, all capability.Permissions) error {
	var entries []string
	for _, n := range all.Net {
		entries = append(entries, n.URL.String()+" ("+strings.Join(n.Methods, ", ")+")")
	}
	return &tool.Error{
		Code: tool.CodePermissionDenied, Recoverable: true,
		Message: "the tool cannot send " + questiontext.Shorten(method+" "+target, maxFact) + ", because its manifest requests only " + strings.Join(entries, " and "),
	}
}
