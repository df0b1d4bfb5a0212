package capability

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
)

// The grammars of names. Secrets may have hyphens, as the keys of a TOML file do.
var (
	mountName  = regexp.MustCompile(`^[a-z][a-z0-9_-]{0,63}$`)
	envName    = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]{0,127}$`)
	secretName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_-]{0,127}$`)
)

func checkMountName(name string) error {
	return checkGrammar(mountName, name, `a mount; write a lower-case letter, then up to 63 of a-z, 0-9, "_" and "-"`)
}

func checkEnvName(name string) error {
	return checkNoPattern(envName, name, "variables", `a variable; write up to 128 letters, digits and "_", such as LANG`)
}

// checkSecretName refuses what cannot be the name of a secret.
func checkSecretName(name string) error {
	return checkNoPattern(secretName, name, "secrets", `a secret; write up to 128 letters, digits, "_" and "-", such as GITHUB_TOKEN`)
}

// checkNoPattern is for names that are only ever granted one by one.
func checkNoPattern(grammar *regexp.Regexp, name, many, rule string) error {
	if name == anyText || strings.ContainsAny(name, "*?") {
		return fmt.Errorf("there is no word for all %s; name each", many)
	}
	return checkGrammar(grammar, name, rule)
}

func checkGrammar(grammar *regexp.Regexp, name, rule string) error {
	switch {
	case grammar.MatchString(name):
		return nil
	case name == "":
		return errors.New("there is no name; write that of " + rule)
	}
	return errors.New(shown(name) + " is not the name of " + rule)
}
