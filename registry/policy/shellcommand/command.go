package shellcommand

import (
	"path"
	"slices"
	"strings"

	"github.com/wasmtool/wasmtool/internal/each"
	"github.com/wasmtool/wasmtool/registry/policy"
)

// command classifies a simple command, and then the commands within it. declared reports whether
// the script declares a function with the command's name. Its body is classified at its
// declaration.
func (c *classifier) command(words []word, text string, depth int, declared bool) {
	switch {
	case c.full:
		return
	case depth > maxDepth:
		c.exceed("it is nested too deeply")
		return
	case len(words) == 0:
		return
	}
	if why := forbidden(words); why != "" {
		c.add(text, deny(why))
		return
	}
	var inside []inner
	liftable := false
	j, restricted := c.settings.restrict(words)
	switch {
	case !words[0].fixed:
		if !restricted || j.effect == policy.Ask {
			j = ask("is a command whose name is only known when it runs")
		}
	case declared && !restricted:
		j = allow("is a function of the script")
	default:
		var own verdict
		own, inside = classify(words)
		if !restricted {
			j, liftable = own, own.effect == policy.Ask
		} else {
			j.effect = min(j.effect, own.effect)
		}
	}
	p := j.part(text)
	if liftable {
		p = c.settings.permit(p, words)
		p.Pattern = pattern(words)
	}
	known := words[0].fixed && slices.Contains(runNothing, plainName(words[0].text))
	p.restricted = restricted || !known && c.settings.restricts()
	c.addPart(p)
	for _, in := range inside {
		in.classify(c, depth+1)
	}
}

// inner is a command or script within a command.
type inner struct {
	words  []word
	script string
	// hint says that the script is only a guess at what runs: it can only make the verdict
	// stricter.
	hint bool
}

func (in inner) classify(c *classifier, depth int) {
	switch {
	case in.words != nil:
		c.command(in.words, join(in.words), depth, false)
	case in.hint:
		hints := &classifier{settings: Settings{Deny: c.settings.Deny}}
		hints.script(in.script, depth)
		for _, p := range hints.parts {
			if p.Effect == policy.Deny {
				c.addPart(p)
			}
		}
	default:
		c.script(in.script, depth)
	}
}

// join returns a command as text for people.
func join(words []word) string {
	return strings.Join(each.Of(words, func(w word) string { return w.text }), " ")
}

// systemDirectories contain the programs of the system. A path in one of them is treated like the
// name of the program.
var systemDirectories = []string{"/bin/", "/usr/bin/", "/usr/local/bin/", "/sbin/", "/usr/sbin/"}

// plainName returns the name of a program, or "" for a path in any other directory.
func plainName(name string) string {
	folder, file := path.Split(name)
	if folder != "" && !slices.Contains(systemDirectories, folder) {
		return ""
	}
	return file
}

// classify classifies a command whose name is known, and returns the commands that it runs.
func classify(words []word) (verdict, []inner) {
	name := plainName(words[0].text)
	args := words[1:]
	if slices.Contains(harmless, name) {
		return allow("only reads"), nil
	}
	if a, ok := assigners[name]; ok {
		return a.classify(name, args), nil
	}
	if options, ok := careful[name]; ok {
		return options.classify(args), nil
	}
	if own, ok := classifiers[name]; ok {
		return own(args), nil
	}
	if name == "find" || name == "gfind" {
		return classifyFind(args)
	}
	if j, inside, ok := classifyWrapper(name, args); ok {
		return j, inside
	}
	if why, ok := dangers[name]; ok {
		return ask(why), nil
	}
	return ask("runs an unknown program"), nil
}
