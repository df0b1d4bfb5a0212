package config

import (
	"errors"
	"maps"
	"slices"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
)

// Offer returns what a tool of that name is given if it asks, "" for any tool: the clock and
// randomness, the folders of [mounts] and the variables of [env], and what [grants] and
// [tools] allow, but for what they deny. What [tools] denies under one of the aliases counts,
// too; what it allows there does not, since the tool's author chooses them. dirs are the host
// directories of mounts that the caller binds, such as the workspace, by name: they are
// offered for reading unless [mounts] has the name. Secrets that are offered go to their urls
// only; see Allow for granting more.
//
// A variable that is not set is not offered; see Warnings. Each Offer is made anew: keep
// it for many calls.
func (c *Config) Grantable(dirs map[string]string, tool string, aliases ...string) capability.Grantable {
	o := capability.Grantable{
		Mounts: make(map[string]capability.Mount), Env: make(map[string]string),
		Clock: true, Random: true, Lines: make(map[capability.Permission]string),
		Protected: c.Protected(),
	}
	for name, dir := range dirs {
		o.Mounts[name] = capability.Mount{Dir: dir, Mode: capability.ModeRead}
	}
	for name, m := range c.mounts {
		o.Mounts[name] = capability.Mount{Dir: m.dir, Mode: m.mode}
		note(o.Lines, capability.Kind(m.mode.String()), name, m.source)
	}
	for name, v := range c.env {
		value, ok := v.value, true
		if v.pass {
			value, ok = c.LookupEnv(name)
		}
		if ok {
			o.Env[name] = value
			note(o.Lines, capability.KindEnv, name, v.source)
		}
	}
	c.add(&o, c.grants)
	c.add(&o, c.tools[normalName(tool)].grants)
	for _, alias := range aliases {
		c.add(&o, grants{deny: c.tools[normalName(alias)].grants.deny})
	}
	return o
}

// MountPermissions returns what [grants] and [tools] allow the tool of that name to do in mounts:
// words of a read or write kind, in no order that means anything. They hold for whatever
// folder is bound to a name, so a caller that puts another folder in the place of the
// file's adds them again.
func (c *Config) MountPermissions(tool string) []capability.Permission {
	var words []capability.Permission
	for _, g := range slices.Concat(c.grants.allow, c.tools[normalName(tool)].grants.allow) {
		if kind := g.word.Kind(); kind == capability.KindRead || kind == capability.KindWrite {
			words = append(words, g.word)
		}
	}
	return words
}

// Allow adds words from elsewhere than the file, such as flags and remembered answers,
// to an Offer of c. Other than Offer.Add, it keeps secrets to the urls of [secrets], and
// knows none that is not there. The error is a *capability.UnboundError, and o is then
// unchanged.
func (c *Config) Allow(o *capability.Grantable, b capability.Bound, words ...capability.Permission) error {
	sum := *o
	for _, w := range words {
		if _, offered := sum.Secrets[w.Name()]; offered || w.Kind() != capability.KindSecret {
			continue
		}
		s, ok := c.secrets[w.Name()]
		if !ok {
			return &capability.UnboundError{Permission: w}
		}
		secrets := map[string]capability.GrantableSecret{w.Name(): {URLs: slices.Clone(s.urls)}}
		maps.Copy(secrets, sum.Secrets) // the offer may share its map with another one
		sum.Secrets = secrets
	}
	if err := sum.Add(b, words...); err != nil {
		return err
	}
	*o = sum
	return nil
}

// add adds words of the file, but for those of variables that are not set and of mounts
// that nobody binds.
func (c *Config) add(o *capability.Grantable, g grants) {
	words := make([]capability.Permission, len(g.allow))
	for i, w := range g.allow {
		words[i] = w.word
	}
	var unbound *capability.UnboundError
	for errors.As(c.Allow(o, capability.Bound{Env: c.LookupEnv}, words...), &unbound) {
		words = slices.DeleteFunc(words, func(w capability.Permission) bool { return w == unbound.Permission })
	}
	for _, w := range g.allow {
		if !slices.Contains(o.Deny, w.word) { // whose line is the one to know
			o.Lines[w.word] = w.source
		}
	}
	for _, w := range g.deny {
		o.Deny = append(o.Deny, w.word)
		o.Lines[w.word] = w.source
	}
}

// note records the line of a word.
func note(lines map[capability.Permission]string, kind capability.Kind, name, source string) {
	// A name of the file was checked by making a word of it.
	if w, err := capability.NewPermission(kind, name); err == nil {
		lines[w] = source
	}
}

// Warnings tells in a line each what is given but not there: variables that are not set
// in this process.
func (c *Config) Warnings() []string {
	lines := make(map[string]string)
	for name, v := range c.env {
		if v.pass {
			lines[name] = v.source
		}
	}
	allowed := slices.Clone(c.grants.allow)
	for _, name := range slices.Sorted(maps.Keys(c.tools)) {
		allowed = append(allowed, c.tools[name].grants.allow...)
	}
	for _, w := range allowed {
		_, given := c.env[w.word.Name()]
		if w.word.Kind() == capability.KindEnv && !given && lines[w.word.Name()] == "" {
			lines[w.word.Name()] = w.source
		}
	}
	var warnings []string
	for _, name := range slices.Sorted(maps.Keys(lines)) {
		if _, set := c.LookupEnv(name); !set {
			warnings = append(warnings, lines[name]+": the variable "+name+" is not set; a tool that asks for it does not run")
		}
	}
	return warnings
}
