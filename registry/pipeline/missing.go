package pipeline

import (
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/internal/jsonschema"
	"github.com/wasmtool/wasmtool/registry/policy"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// errNotGranted returns the error of a call whose tool requests more than it gets. reading means
// that the call would be allowed to run if its script only read files.
func (c prepared) errNotGranted(access Access, reading bool) error {
	missing := c.narrowAll(access.Missing, access.Grantable)
	message := "not granted: " + strings.Join(capability.Strings(missing), ", ")
	if reading {
		if c.script.Effect == policy.Ask {
			message += ", needed because " + c.script.Reason
		}
		message += "; a script that only reads runs without it"
	}
	among := func(permissions []capability.Permission) bool {
		return slices.ContainsFunc(access.Missing, func(p capability.Permission) bool { return slices.Contains(permissions, p) })
	}
	switch {
	case among(access.Moved):
		message += "; its grant no longer applies, because a mount now leads to a different directory, and only the operator can grant it again"
	case among(access.Stale):
		message += "; it was granted to an earlier version of the tool, and only the operator can grant it again"
	default:
		message += "; only the operator can grant it"
	}
	help := c.rules.Help(c.tool.Spec.Permissions, access.Grantable, missing)
	e := &tool.Error{
		Code: tool.CodePermissionDenied, Message: message, Recoverable: true,
		Details: tool.Details{Missing: capability.Strings(missing), Denied: capability.Strings(help.Denied)},
	}
	if len(help.Obstacles) > 0 {
		e.Details.Fix = strings.Join(help.Obstacles, "\n")
		return e
	}
	grantable := capability.Strings(help.Grant)
	e.Details.Fix = c.rules.allowLines(c.tool.Spec.Name, grantable)
	// The suggestion includes the permissions for which the call would next need an approval, so
	// that the operator grants all of them in one step.
	requested := withoutScratch(c.requested.List())
	decision := c.rules.Policy.Decide(factsOfCalled(c.tool), policy.CallFacts{
		Capabilities: requested, Arguments: c.arguments.JSON, Decoded: c.arguments.Tree, Granted: grantedWith(access.Granted, c.script),
	})
	for _, permission := range requested {
		if !slices.Contains(decision.Grant, permission.String()) {
			continue
		}
		if text := c.narrow(permission, access.Grantable).String(); !slices.Contains(grantable, text) {
			grantable = append(grantable, text)
		}
	}
	switch {
	case c.script != nil && c.script.Effect == policy.Ask && !c.rules.Shell.Unconfirmed:
		e.Details.Fix += "\n# an approval is needed for scripts that do more than read files, unless [shell] allows their commands"
	case decision.Effect == policy.Ask:
		e.Details.Fix += "\n# its calls need an approval, unless you add: auto_execute = true"
	}
	e.Details.Grant = grantable
	return e
}

// narrowAll applies narrow to all missing permissions.
func (c prepared) narrowAll(missing []capability.Permission, grantable capability.Grantable) []capability.Permission {
	narrowed := make([]capability.Permission, len(missing))
	for i, permission := range missing {
		narrowed[i] = c.narrow(permission, grantable)
	}
	return narrowed
}

// narrow replaces the host "any" in a missing permission with the host in the call's arguments. The
// operator then need not grant access to the whole web. A model may have chosen the host, so the
// result is only a suggestion to the operator, who sees the name of the host.
func (c prepared) narrow(permission capability.Permission, grantable capability.Grantable) capability.Permission {
	if !permission.URL().IsAny() {
		return permission
	}
	for _, host := range hostsIn(c.arguments) {
		narrowed, err := capability.NewPermission(capability.KindNet, host)
		if err != nil || narrowed.URL().IsWildcard() { // the URL of a page has no wildcard
			continue
		}
		if fix := capability.Explain(c.tool.Spec.Permissions, grantable, narrowed).Fix; !fix.IsZero() {
			return fix
		}
	}
	return permission
}

// hostsIn returns scheme and host of the arguments that are URLs, such as "https://example.com/",
// in the order of the arguments' names.
func hostsIn(arguments *jsonschema.Arguments) []string {
	var hosts []string
	for _, name := range slices.Sorted(maps.Keys(arguments.Fields())) {
		text, _ := arguments.Text(name)
		if u, err := url.Parse(text); err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != "" {
			hosts = append(hosts, u.Scheme+"://"+u.Host+"/")
		}
	}
	return hosts
}
