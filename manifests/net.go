package manifests

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/internal/lazyregexp"
	"github.com/wasmtool/wasmtool/internal/stricttoml"
)

// methods reads a list of methods, which must not be empty.
func (c *checker) methods(net *capability.Net) stricttoml.Reader {
	list := stricttoml.ReadStrings(c.Checker, &net.Methods, parseMethod)
	return func(at stricttoml.Place, n *stricttoml.Node) {
		if len(n.Items) == 0 {
			c.Errorf(at, `is empty; name the methods, or leave the key out for ["GET"]`)
			return
		}
		list(at, n)
	}
}

func parseMethod(text string) (string, error) {
	if strings.Contains(text, "{") {
		return "", fmt.Errorf("%s is not a method; list the methods that calls may use", stricttoml.Quote(text))
	}
	if err := (capability.Net{URL: capability.AnyURL(), Methods: []string{text}}).Validate(); err != nil {
		_, message := splitField(err)
		return "", errors.New(message)
	}
	return text, nil
}

func parseSecretName(text string) (string, error) {
	_, err := capability.NewPermission(capability.KindSecret, text)
	return text, err
}

// parseFilled reads a string that is not empty. The grammar of the string is checked later,
// together with other keys.
func parseFilled(text string) (string, error) {
	if text == "" {
		return "", errors.New("is empty; write a string or leave the key out")
	}
	return text, nil
}

// checkNet checks the entry of permissions.net that was read last, unless one of its keys already
// has an error.
func (c *checker) checkNet(m *Manifest) stricttoml.Reader {
	return func(at stricttoml.Place, n *stricttoml.Node) {
		if c.HasError(at) {
			return
		}
		a := m.asks[len(m.asks)-1]
		if a.from != "" { // any valid URL: the value of the setting is checked later
			a.net.URL, _ = capability.ParseURLPattern("https://example.com/")
		}
		if err := a.net.Validate(); err != nil {
			steps, message := splitField(err)
			c.Errorf(n.Locate(at, steps...), "%s", message)
		}
	}
}

// nets compares the entries of permissions.net with each other. origin has the index of each entry
// in the file.
func (c *checker) nets(m *Manifest, origin []int) {
	if c.HasError(c.At("permissions", "net")) {
		return
	}
	if err := m.Permissions.Validate(); err != nil {
		steps, message := splitField(err)
		if len(steps) > 1 && steps[0] == "net" {
			if i, err := strconv.Atoi(steps[1]); err == nil && i < len(origin) {
				steps[1] = strconv.Itoa(origin[i])
			}
		}
		c.Errorf(c.At(append([]string{"permissions"}, steps...)...), "%s", message)
	}
}

// field matches the beginning of an error of package capability that names the wrong field:
// "net[0].", "secrets[1]: ", "header: ".
var field = lazyregexp.New(`^([a-z]+)(?:\[([0-9]+)\])?(?:\.|: )`)

// splitField splits an error of package capability into the message and the steps that lead to the
// wrong key.
func splitField(err error) (steps []string, message string) {
	message = err.Error()
	for match := field.Regexp().FindStringSubmatch(message); match != nil; match = field.Regexp().FindStringSubmatch(message) {
		steps = append(steps, match[1])
		if match[2] != "" {
			steps = append(steps, match[2])
		}
		message = strings.TrimPrefix(message, match[0])
	}
	return steps, message
}
