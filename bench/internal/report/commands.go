package report

import (
	"fmt"
	"strings"

	"github.com/wasmtool/wasmtool/bench/internal/measure"
)

// commandBars are the targets for commands of the shell.
func (r Results) commandBars() []Bar {
	var bars []Bar
	for _, name := range measure.CommandNames() {
		job := measure.CommandJob{Missing: leftOut}
		for _, j := range r.Commands {
			if j.Name == name {
				job = j
			}
		}
		g := goal{name + " of 17 MiB in the shell, relative to native", atMost, 5, false, times}
		bars = append(bars, g.compare(measure.Ratio(job.P50, job.Of.P50), job.Missing))
	}
	return bars
}

func (r Results) commandTable(b *strings.Builder) {
	t := table{
		title:  "Shell commands over a file of 17 MiB, through Registry.Execute",
		header: []string{"command", "p50", "fastest", "calls", "native, p50", "fastest", "ratio"},
	}
	for _, j := range r.Commands {
		if j.Missing != "" {
			t.rows = append(t.rows, []string{j.Name, notMeasured(j.Missing)})
			continue
		}
		t.rows = append(t.rows, []string{
			j.Name, duration(j.P50), duration(j.Min), fmt.Sprint(j.N),
			duration(j.Of.P50), duration(j.Of.Min), times(measure.Ratio(j.P50, j.Of.P50)),
		})
	}
	t.write(b)
}
