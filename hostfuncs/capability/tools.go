package capability

import "strings"

// anyTools is the pattern that matches every tool.
const anyTools = "*"

func toolsPermission(pattern string) Permission { return Permission{kind: KindTools, name: pattern} }

// matchesTools reports whether a pattern matches every tool that another pattern or name matches.
func matchesTools(pattern, other string) bool {
	beginning, open := strings.CutSuffix(pattern, "*")
	return pattern == other || open && strings.HasPrefix(other, beginning)
}

// MayCallSame reports whether some tool may match both permissions, which have the kind KindTools.
func (p Permission) MayCallSame(other Permission) bool {
	return p.kind == KindTools && other.kind == KindTools && (matchesTools(p.name, other.name) || matchesTools(other.name, p.name))
}

// toolsFor returns the tools that a request for a pattern gets, as patterns, regardless of denials
// for a part of them.
func (o Grantable) toolsFor(pattern string) []string {
	if _, denied := o.Deny.Takes(toolsPermission(pattern)); denied {
		return nil
	}
	var granted []string
	for _, offered := range o.Tools {
		switch {
		case matchesTools(offered, pattern):
			return []string{pattern}
		case matchesTools(pattern, offered):
			granted = append(granted, offered)
		}
	}
	return granted
}

// Calls reports whether a call of the tool with this name is granted.
func (g Grant) Calls(name string) bool {
	if _, denied := g.ToolsDeny.Takes(toolsPermission(name)); denied {
		return false
	}
	for _, pattern := range g.Tools {
		if matchesTools(pattern, name) {
			return true
		}
	}
	return false
}
