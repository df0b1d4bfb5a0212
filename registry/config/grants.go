package config

import (
	"maps"
	"slices"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/internal/stricttoml"
	"github.com/wasmtool/wasmtool/internal/suggest"
)

// grantKeys are the words of [grants], and of each tool.
func (r *reader) grantKeys(g *grants) []stricttoml.Key {
	return []stricttoml.Key{
		{Name: "allow", Want: stricttoml.WantStrings, Read: r.readWords(&g.allow)},
		{Name: "deny", Want: stricttoml.WantStrings, Read: r.readWords(&g.deny)},
	}
}

func (r *reader) readWords(list *[]sourcedWord) stricttoml.Reader {
	return func(at stricttoml.Place, n *stricttoml.Node) {
		seen := make(map[capability.Permission]bool)
		r.EachString(at, n, func(at stricttoml.Place, n *stricttoml.Node) {
			word, err := capability.ParsePermission(n.Text)
			switch {
			case err != nil:
				r.Errorf(at, "%s", err)
			case seen[word]:
				r.Errorf(at, "%s is listed twice; keep one", word)
			default:
				seen[word] = true
				*list = append(*list, sourcedWord{word, r.source(at)})
				r.words = append(r.words, placedWord{at, word})
			}
		})
	}
}

// checkWord says what is wrong with a name by making a word of it.
func checkWord(kind capability.Kind, name string) error {
	_, err := capability.NewPermission(kind, name)
	return err
}

// checkWords reports each word that names what the file does not have: it would give
// nothing, or take nothing away.
func (r *reader) checkWords() {
	mounts := slices.Sorted(maps.Keys(r.c.mounts))
	mounts = append(mounts, capability.WorkspaceMount, capability.ScratchMount)
	secrets := slices.Sorted(maps.Keys(r.c.secrets))
	for _, w := range r.words {
		name := w.word.Name()
		switch w.word.Kind() {
		case capability.KindRead, capability.KindWrite:
			if !slices.Contains(mounts, name) {
				r.Errorf(w.at, `there is no mount %q; %s`, name, meant(name, mounts, `add `+name+` = "PATH" to [mounts]`))
			}
		case capability.KindSecret:
			if !slices.Contains(secrets, name) {
				r.Errorf(w.at, `there is no secret %q; %s`, name, meant(name, secrets, `add [secrets.`+name+`]`))
			}
		}
	}
}

// meant ends a fault with the name that was meant, or what to do when none was.
func meant(name string, names []string, otherwise string) string {
	if near := suggest.Nearest(name, names); near != "" {
		return `did you mean "` + near + `"?`
	}
	return otherwise
}
