package config

import (
	"errors"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/internal/stricttoml"
)

// maxValue is the most bytes of a variable's value.
const maxValue = 32 << 10

func checkEnvName(name string) error {
	if name == "PWD" {
		return errors.New("is set for the tool by its workspace; leave it out")
	}
	return checkWord(capability.KindEnv, name)
}

// envKey is true, or a text. No fault repeats the text.
func (r *reader) envKey(name string) stricttoml.Key {
	const fix = "write true to pass on the variable, or its value in quotes"
	return stricttoml.Key{
		Want: stricttoml.WantFlag, Fix: fix,
		Read: func(at stricttoml.Place, n *stricttoml.Node) {
			if n.Text != "true" {
				r.Fault(at, "is false, which is no value; leave the variable out, or %s", fix)
				return
			}
			r.c.env[name] = variable{pass: true, source: r.source(at)}
		},
		Or: &stricttoml.Key{Want: stricttoml.WantText, Read: func(at stricttoml.Place, n *stricttoml.Node) {
			switch {
			case len(n.Text) > maxValue:
				r.Fault(at, "is %d bytes long; the ceiling is %d", len(n.Text), maxValue)
			default:
				r.c.env[name] = variable{value: n.Text, source: r.source(at)}
			}
		}},
	}
}
