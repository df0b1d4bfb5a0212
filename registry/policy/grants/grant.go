package grants

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"time"
	"unicode/utf8"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/internal/plaintext"
	"github.com/wasmtool/wasmtool/internal/recordfile"
)

// Bounds on a Grant.
const (
	maxNameBytes = 256
	maxWordBytes = 2048
	maxWords     = 256
	// MaxDirectories is how many directories a grant has; of more, the oldest are left out.
	MaxDirectories = 256
	maxPathBytes   = 4096
	maxLeadsBytes  = 5000
)

// Grant is what a tool was granted.
type Grant struct {
	// ID names the grant; a Store sets it. A tenant has one grant for each tool and digest.
	ID string `json:"id"`
	// Tenant is whose grant it is; "" is the single tenant of a terminal.
	Tenant string `json:"tenant,omitempty"`
	// Tool is the name of the tool, and Digest what Registry.Digest told of it.
	Tool   string `json:"tool"`
	Digest string `json:"digest"`
	// Words are what it is given, as package capability prints them. Calls that reach
	// nothing more that would be asked about run unasked, unless the tool is dangerous.
	Words []string `json:"words,omitempty"`
	// AutoExecute lets its calls run unasked, whatever they reach and also when the tool is
	// dangerous.
	AutoExecute bool `json:"auto_execute,omitempty"`
	// Directories are where the paths of the tool's mounts led to when it was given. A call of
	// which a mount is bound to one of these paths has nothing of the grant when the path
	// leads elsewhere. Paths that are not listed are bound as they are.
	Directories []Directory `json:"directories,omitempty"`
	// Created is when it was given last; a Store sets it.
	Created time.Time `json:"created"`
}

// Directory is where a path of the host led to.
type Directory struct {
	// Path is absolute, with the links in it. It must not reach a guest or a model.
	Path string `json:"path"`
	// Leads names the directory itself, as hostfuncs.Identity does.
	Leads string `json:"leads"`
}

// Parsed returns the words of a grant that a Store returned.
func (g Grant) Parsed() []capability.Word {
	var words []capability.Word
	for _, text := range g.Words {
		if w, err := capability.ParseWord(text); err == nil { // a Store checked it
			words = append(words, w)
		}
	}
	return words
}

// sameTool reports whether two grants are for the same tool of the same tenant.
func (g Grant) sameTool(other Grant) bool {
	return g.Tenant == other.Tenant && g.Tool == other.Tool && g.Digest == other.Digest
}

// joined is a grant with what an earlier one for the same tool gave.
func (g Grant) joined(earlier Grant) Grant {
	g.Words = slices.Concat(earlier.Words, g.Words)
	slices.Sort(g.Words)
	g.Words = slices.Compact(g.Words)
	g.AutoExecute = g.AutoExecute || earlier.AutoExecute
	kept := slices.DeleteFunc(slices.Clone(earlier.Directories), func(old Directory) bool {
		return slices.ContainsFunc(g.Directories, func(d Directory) bool { return d.Path == old.Path })
	})
	g.Directories = slices.Concat(kept, g.Directories)
	g.Directories = g.Directories[max(0, len(g.Directories)-MaxDirectories):]
	return g
}

func (g Grant) identify() string { return recordfile.Hash("grant", g.Tenant, g.Tool, g.Digest)[:16] }

// validate says what is wrong with a grant that is to be remembered, or was.
func (g Grant) validate() error {
	switch {
	case g.Tool == "":
		return errors.New("the tool's name is missing")
	case g.Digest == "":
		return errors.New("the tool's digest is missing")
	case len(g.Words) == 0 && !g.AutoExecute:
		return errors.New("it grants nothing")
	case len(g.Words) > maxWords:
		return fmt.Errorf("it has more than %d words", maxWords)
	case len(g.Directories) > MaxDirectories:
		return fmt.Errorf("it has more than %d directories", MaxDirectories)
	}
	for _, d := range g.Directories {
		if !filepath.IsAbs(d.Path) || len(d.Path) > maxPathBytes || d.Leads == "" || len(d.Leads) > maxLeadsBytes {
			return errors.New("a directory needs an absolute path and an identity")
		}
	}
	for _, text := range []string{g.Tenant, g.Tool, g.Digest} {
		if len(text) > maxNameBytes || !utf8.ValidString(text) {
			return fmt.Errorf("tenant, tool and digest are UTF-8 of at most %d bytes", maxNameBytes)
		}
	}
	for _, text := range g.Words {
		if len(text) > maxWordBytes {
			return fmt.Errorf("a word is longer than %d bytes", maxWordBytes)
		}
		word, err := capability.ParseWord(text)
		if err != nil {
			return err
		}
		if word.String() != text {
			return fmt.Errorf("permission %q is written %s", text, word)
		}
	}
	return nil
}

// checkRecord says what is wrong with a grant as it is written.
func checkRecord(g Grant) error {
	if err := g.validate(); err != nil {
		return err
	}
	if g.Created.IsZero() || g.ID != g.identify() {
		return errors.New("its ID or time is not the one that was written")
	}
	return nil
}

// forDisplay returns the grant with texts that are safe to print.
func (g Grant) forDisplay() Grant {
	g.Tenant, g.Tool, g.Digest = plaintext.Visible(g.Tenant), plaintext.Visible(g.Tool), plaintext.Visible(g.Digest)
	words := make([]string, len(g.Words))
	for i, word := range g.Words {
		words[i] = plaintext.Visible(word)
	}
	g.Words = words
	directories := slices.Clone(g.Directories)
	for i := range directories {
		directories[i].Path, directories[i].Leads = plaintext.Visible(directories[i].Path), plaintext.Visible(directories[i].Leads)
	}
	g.Directories = directories
	return g
}
