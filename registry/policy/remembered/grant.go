package remembered

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/internal/each"
	"github.com/wasmtool/wasmtool/internal/plaintext"
)

// MaxDirectories is how many directories a grant has; of more, the oldest are left out.
const MaxDirectories = 256

// Bounds on a Directory.
const (
	maxPathBytes  = 4096
	maxLeadsBytes = 5000
)

// Grant is what a tool was granted.
type Grant struct {
	// ID names the grant; the store sets it. A tenant has one grant for each tool and digest.
	ID string `json:"id"`
	// Tenant is whose grant it is; "" is the single tenant of a terminal.
	Tenant string `json:"tenant,omitempty"`
	// Tool is the name of the tool, and Digest what Registry.Digest told of it.
	Tool   string `json:"tool"`
	Digest string `json:"digest"`
	// Words are what it is given, as package capability prints them. Calls that reach
	// nothing more that would be asked about run unasked, unless the tool is dangerous.
	Permissions []string `json:"words,omitempty"`
	// AutoExecute lets its calls run unasked, whatever they reach and also when the tool is
	// dangerous.
	AutoExecute bool `json:"auto_execute,omitempty"`
	// Directories are where the paths of the tool's mounts led to when it was given. A call of
	// which a mount is bound to one of these paths has nothing of the grant when the path
	// leads elsewhere. Paths that are not listed are bound as they are.
	Directories []Directory `json:"directories,omitempty"`
	// Created is when it was given last; the store sets it.
	Created time.Time `json:"created"`
}

// Directory is where a path of the host led to.
type Directory struct {
	// Path is absolute, with the links in it. It must not reach a guest or a model.
	Path string `json:"path"`
	// Leads names the directory itself, as files.Identity does.
	Leads string `json:"leads"`
}

// Parsed returns the words of a grant that a GrantStore returned.
func (g Grant) Parsed() []capability.Permission {
	var words []capability.Permission
	for _, text := range g.Permissions {
		if w, err := capability.ParsePermission(text); err == nil { // a store checked it
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
	g.Permissions = slices.Concat(earlier.Permissions, g.Permissions)
	slices.Sort(g.Permissions)
	g.Permissions = slices.Compact(g.Permissions)
	g.AutoExecute = g.AutoExecute || earlier.AutoExecute
	kept := slices.DeleteFunc(slices.Clone(earlier.Directories), func(old Directory) bool {
		return slices.ContainsFunc(g.Directories, func(d Directory) bool { return d.Path == old.Path })
	})
	g.Directories = slices.Concat(kept, g.Directories)
	g.Directories = g.Directories[max(0, len(g.Directories)-MaxDirectories):]
	return g
}

func (g Grant) identify() string { return hashTexts("grant", g.Tenant, g.Tool, g.Digest)[:16] }

func (g Grant) validate() error {
	switch {
	case g.Tool == "":
		return errors.New("the tool's name is missing")
	case g.Digest == "":
		return errors.New("the tool's digest is missing")
	case len(g.Permissions) == 0 && !g.AutoExecute:
		return errors.New("it grants nothing")
	case len(g.Permissions) > maxWords:
		return fmt.Errorf("it has more than %d words", maxWords)
	case len(g.Directories) > MaxDirectories:
		return fmt.Errorf("it has more than %d directories", MaxDirectories)
	}
	for _, d := range g.Directories {
		if !filepath.IsAbs(d.Path) || len(d.Path) > maxPathBytes || d.Leads == "" || len(d.Leads) > maxLeadsBytes {
			return errors.New("a directory needs an absolute path and an identity")
		}
	}
	if err := checkTexts("tenant, tool and digest", maxNameBytes, g.Tenant, g.Tool, g.Digest); err != nil {
		return err
	}
	for _, text := range g.Permissions {
		word, err := capability.ParsePermission(text)
		switch {
		case len(text) > maxWordBytes:
			return fmt.Errorf("a word is longer than %d bytes", maxWordBytes)
		case err != nil:
			return err
		case word.String() != text:
			return fmt.Errorf("permission %q is written %s", text, word)
		}
	}
	return nil
}

func (g Grant) head() head { return head{g.Tenant, g.ID, g.Created} }

// expired reports false: a grant holds until it is revoked.
func (Grant) expired(time.Time) bool { return false }

func (g Grant) forDisplay() Grant {
	g.Tenant, g.Tool, g.Digest = plaintext.Visible(g.Tenant), plaintext.Visible(g.Tool), plaintext.Visible(g.Digest)
	g.Permissions = each.Of(g.Permissions, plaintext.Visible)
	g.Directories = each.Of(g.Directories, func(d Directory) Directory {
		return Directory{Path: plaintext.Visible(d.Path), Leads: plaintext.Visible(d.Leads)}
	})
	return g
}
