package report

import (
	"fmt"
	"strings"
	"time"

	"github.com/wasmtool/wasmtool/bench/internal/measure"
	"github.com/wasmtool/wasmtool/bench/internal/parts"
)

// partTable writes what the parts of a call cost. docs/costs.md has its rows.
func (r Results) partTable(b *strings.Builder) {
	if len(r.Parts) == 0 {
		return
	}
	t := table{title: "The parts of a call, through Registry.Execute", header: []string{"part"}, textual: 1}
	for _, c := range r.Parts {
		t.header = append(t.header, c.Guest)
	}
	add := func(name string, figure func(measure.CallCost) string) {
		row := []string{name}
		for _, c := range r.Parts {
			cell := "not measured"
			if c.Missing == "" {
				cell = figure(c)
			}
			row = append(row, cell)
		}
		t.rows = append(t.rows, row)
	}
	for _, part := range parts.All() {
		add(string(part), func(c measure.CallCost) string { return share(c.Parts[part], c.CPU) })
	}
	add("**processor time**", func(c measure.CallCost) string { return "**" + duration(c.CPU) + "**" })
	add("time, one caller", func(c measure.CallCost) string { return duration(c.Wall) })
	add("allocations", func(c measure.CallCost) string { return fmt.Sprintf("%.0f", c.Allocs) })
	add("bytes allocated", func(c measure.CallCost) string { return fmt.Sprintf("%.0f", c.Bytes) })
	add("page faults", func(c measure.CallCost) string { return fmt.Sprintf("%.1f", c.PageFaults) })
	add("context switches", func(c measure.CallCost) string { return fmt.Sprintf("%.1f", c.Switches) })
	add("calls", func(c measure.CallCost) string { return fmt.Sprint(c.Calls) })
	t.write(b)
	for _, c := range r.Parts {
		if c.Missing != "" {
			fmt.Fprintf(b, "%s: %s.\n\n", c.Guest, notMeasured(c.Missing))
		}
	}
}

// share formats a part of a whole as a time and a percentage.
func share(part, whole time.Duration) string {
	return fmt.Sprintf("%s, %.0f %%", duration(part), 100*measure.Ratio(part, whole))
}
