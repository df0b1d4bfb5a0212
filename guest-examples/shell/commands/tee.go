package commands

import (
	"io"
	"os"
)

var tee = spec{
	name: "tee", synopsis: "[-a] [FILE]...",
	options: "a,append i,ignore-interrupts",
	run:     runTee,
}

func runTee(p *process, o options, files []string) int {
	flags := os.O_TRUNC
	if o.has("a") {
		flags = os.O_APPEND
	}
	writers := []io.Writer{p}
	var closers []io.Closer
	for _, name := range files {
		w, err := p.create(name, flags)
		if err != nil {
			p.errorf("%s: %s", name, message(err))
			continue
		}
		writers, closers = append(writers, w), append(closers, w)
	}
	err := p.copy(io.MultiWriter(writers...), p.env.Stdin)
	for _, c := range closers {
		err = firstError(err, c.Close())
	}
	if err != nil && p.outErr == nil {
		p.errorf("%s", message(err))
	}
	return p.status
}
