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

// errNotGranted is the failure of a call whose tool asks for more than it gets. reading says
// that a script which only reads would run.
func (c prepared) errNotGranted(given Access, reading bool) error {
	missing := c.narrow(given.Missing, given.Grantable)
	message := "not granted: " + strings.Join(capability.Strings(missing), ", ")
	if reading {
		if c.script.Effect == policy.Ask {
			message += ", needed since " + c.script.Reason
		}
		message += "; a script that only reads runs without it"
	}
	among := func(words []capability.Permission) bool {
		return slices.ContainsFunc(given.Missing, func(w capability.Permission) bool { return slices.Contains(words, w) })
	}
	switch {
	case among(given.Moved):
		message += "; its grant has no effect, since a mount leads to another directory now, and only the operator can grant it again"
	case among(given.Stale):
		message += "; it was granted to the tool as it was before it changed, and only the operator can grant it again"
	default:
		message += "; only the operator can grant it"
	}
	help := c.rules.Help(c.tool.Spec.Permissions, given.Grantable, missing)
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
	// What would be asked about then is granted with it, so that one step is enough.
	decision := c.rules.Policy.Decide(factsOf(c.tool.Spec), policy.CallFacts{
		Capabilities: withoutScratch(c.asksFor().List()), Arguments: c.arguments.JSON, Decoded: c.arguments.Tree, Granted: grantedWith(given.Granted, c.script),
	})
	for _, text := range decision.Grant {
		word, err := capability.ParsePermission(text)
		if err != nil { // policy.AutoExecute
			continue
		}
		if text := c.narrowWord(word, given.Grantable).String(); !slices.Contains(grantable, text) {
			grantable = append(grantable, text)
		}
	}
	switch {
	case c.script != nil && c.script.Effect == policy.Ask && !c.rules.Shell.Unconfirmed:
		e.Details.Fix += "\n# scripts that may do more than read are asked about, unless [shell] allows their commands"
	case decision.Effect == policy.Ask:
		e.Details.Fix += "\n# its calls are asked about, unless you add: auto_execute = true"
	}
	e.Details.Grant = grantable
	return e
}

// narrow puts the host that the call is about in the place of "any", where a tool asks for
// that in vain: to grant what is missing, the operator need not grant all of the web. A model
// may have chosen the host, so it is only offered to be granted, by name.
func (c prepared) narrow(missing []capability.Permission, offer capability.Grantable) []capability.Permission {
	narrowed := make([]capability.Permission, len(missing))
	for i, word := range missing {
		narrowed[i] = c.narrowWord(word, offer)
	}
	return narrowed
}

func (c prepared) narrowWord(word capability.Permission, offer capability.Grantable) capability.Permission {
	if !word.URL().IsAny() {
		return word
	}
	for _, host := range hostsIn(c.arguments) {
		asked, err := capability.NewPermission(capability.KindNet, host)
		if err != nil || asked.URL().IsWildcard() { // no URL of a page is one
			continue
		}
		if fix := capability.Explain(c.tool.Spec.Permissions, offer, asked).Fix; !fix.IsZero() {
			return fix
		}
	}
	return word
}

// hostsIn returns the hosts of those arguments that are URLs, in the order of the arguments'
// names: "https://example.com/".
func hostsIn(arguments jsonschema.Arguments) []string {
	var hosts []string
	for _, name := range slices.Sorted(maps.Keys(arguments.Fields())) {
		text, _ := arguments.Text(name)
		if u, err := url.Parse(text); err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != "" {
			hosts = append(hosts, u.Scheme+"://"+u.Host+"/")
		}
	}
	return hosts
}
