package registry

import (
	"encoding/json"
	"maps"
	"net/url"
	"slices"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
)

// narrow puts the host that the call is about in the place of "any", where a tool asks for
// that in vain: whoever wants to grant what is missing need not grant all of the web. A model
// may have chosen the host, so it is only what is offered to be granted, by name.
func (x *execution) narrow(missing []capability.Word, offer capability.Offer) []capability.Word {
	narrowed := make([]capability.Word, len(missing))
	for i, word := range missing {
		narrowed[i] = x.narrowWord(word, offer)
	}
	return narrowed
}

func (x *execution) narrowWord(word capability.Word, offer capability.Offer) capability.Word {
	if !word.URL().IsAny() {
		return word
	}
	for _, host := range hostsIn(x.arguments.JSON) {
		asked, err := capability.ParseWord(string(capability.KindNet) + ":" + host)
		if err != nil || asked.URL().IsWildcard() { // which no URL of a page is
			continue
		}
		if fix := capability.Explain(x.tool.Spec.Permissions, offer, asked).Fix; !fix.IsZero() {
			return fix
		}
	}
	return word
}

// hostsIn are the URLs of the hosts of those arguments that are URLs, in the order of their
// names: "https://example.com/".
func hostsIn(arguments json.RawMessage) []string {
	var object map[string]json.RawMessage
	if json.Unmarshal(arguments, &object) != nil {
		return nil
	}
	var hosts []string
	for _, name := range slices.Sorted(maps.Keys(object)) {
		var text string
		if json.Unmarshal(object[name], &text) != nil {
			continue
		}
		if u, err := url.Parse(text); err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != "" {
			hosts = append(hosts, u.Scheme+"://"+u.Host+"/")
		}
	}
	return hosts
}
