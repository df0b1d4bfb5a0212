package shellcommand

import (
	"path"
	"slices"
	"strings"

	"github.com/wasmtool/wasmtool/internal/each"
	"github.com/wasmtool/wasmtool/registry/policy"
)

// command judges a simple command, and the commands inside of it after it. declared tells
// that its name is that of a function of the script, which is judged where it is declared.
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
		var own judgement
		own, inside = judge(words)
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
	c.addPart(p)
	for _, in := range inside {
		in.judge(c, depth+1)
	}
}

// inner is a command, or a script, inside of a command.
type inner struct {
	words  []word
	script string
	// hint tells that the script is not what runs, but what is known of it: it can only
	// make the verdict worse.
	hint bool
}

func (in inner) judge(c *classifier, depth int) {
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

// join is a command as text, for people.
func join(words []word) string {
	return strings.Join(each.Of(words, func(w word) string { return w.text }), " ")
}

// systemFolders are where the programs of the system lie: by their path they are the same
// as by their name.
var systemFolders = []string{"/bin/", "/usr/bin/", "/usr/local/bin/", "/sbin/", "/usr/sbin/"}

// plainName is the name of a program, or "" for one in a folder that may hold anything.
func plainName(name string) string {
	folder, file := path.Split(name)
	if folder != "" && !slices.Contains(systemFolders, folder) {
		return ""
	}
	return file
}

// judge says what a command whose name is known comes to, and which commands it runs.
func judge(words []word) (judgement, []inner) {
	name := plainName(words[0].text)
	args := words[1:]
	if slices.Contains(harmless, name) {
		return allow("only reads"), nil
	}
	if a, ok := assigners[name]; ok {
		return a.judge(name, args), nil
	}
	if options, ok := careful[name]; ok {
		return options.judge(args), nil
	}
	if own, ok := judges[name]; ok {
		return own(args), nil
	}
	if name == "find" || name == "gfind" {
		return judgeFind(args)
	}
	if j, inside, ok := judgeWrapper(name, args); ok {
		return j, inside
	}
	if why, ok := dangers[name]; ok {
		return ask(why), nil
	}
	return ask("runs a program that is not known"), nil
}
