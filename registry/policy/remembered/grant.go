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

// MaxDirectories limits the directories of a grant; the oldest are removed.
const MaxDirectories = 256

// Limits on a Directory.
const (
	maxPathBytes  = 4096
	maxLeadsBytes = 5000
)

// Grant is what was granted to a tool.
type Grant struct {
	// ID identifies the grant; the store sets it. A tenant has one grant for each tool and digest.
	ID string `json:"id"`
	// Tenant is the tenant of the grant; "" is the single tenant of a terminal.
	Tenant string `json:"tenant,omitempty"`
	// Tool is the name of the tool, and Digest is the result of Registry.Digest for the tool.
	Tool   string `json:"tool"`
	Digest string `json:"digest"`
	// Permissions are the granted permissions in text form. Calls that need no other permission run
	// without approval, unless the tool is dangerous.
	Permissions []string `json:"words,omitempty"`
	// AutoExecute lets all calls run without approval, even if they need further permissions or the
	// tool is dangerous.
	AutoExecute bool `json:"auto_execute,omitempty"`
	// Directories records which directory the path of each mount led to when the grant was given.
	// If a path leads elsewhere now, the grant does not apply to calls with that mount. Paths that
	// are not listed are not checked.
	Directories []Directory `json:"directories,omitempty"`
	// Created is when the grant was last given; the store sets it.
	Created time.Time `json:"created"`
}

// Directory is the directory that a host path led to.
type Directory struct {
	// Path is absolute and may contain links. It must not reach a guest or a model.
	Path string `json:"path"`
	// Leads identifies the directory, as files.Identity does.
	Leads string `json:"leads"`
}

// Parsed returns the permissions of a grant that a GrantStore returned.
func (g Grant) Parsed() []capability.Permission {
	var words []capability.Permission
	for _, text := range g.Permissions {
		// always nil, because the store checked the permission
		if w, err := capability.ParsePermission(text); err == nil {
			words = append(words, w)
		}
	}
	return words
}

// sameTool reports whether two grants are for the same tool of the same tenant.
func (g Grant) sameTool(other Grant) bool {
	return g.Tenant == other.Tenant && g.Tool == other.Tool && g.Digest == other.Digest
}

// joined returns a grant together with an earlier grant for the same tool.
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
		return fmt.Errorf("it has more than %d permissions", maxWords)
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
			return fmt.Errorf("a permission is longer than %d bytes", maxWordBytes)
		case err != nil:
			return err
		case word.String() != text:
			return fmt.Errorf("permission %q must be written as %s", text, word)
		}
	}
	return nil
}

func (g Grant) head() head { return head{g.Tenant, g.ID, g.Created} }

// expired returns false: a grant is valid until it is revoked.
func (Grant) expired(time.Time) bool { return false }

func (g Grant) forDisplay() Grant {
	g.Tenant, g.Tool, g.Digest = plaintext.Visible(g.Tenant), plaintext.Visible(g.Tool), plaintext.Visible(g.Digest)
	g.Permissions = each.Of(g.Permissions, plaintext.Visible)
	g.Directories = each.Of(g.Directories, func(d Directory) Directory {
		return Directory{Path: plaintext.Visible(d.Path), Leads: plaintext.Visible(d.Leads)}
	})
	return g
}
