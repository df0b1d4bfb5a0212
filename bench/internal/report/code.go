package report

import (
	"fmt"
	"strings"
	"time"

	"github.com/wasmtool/wasmtool/bench/internal/measure"
)

// codeTables writes the tables about the tool code.
func (r Results) codeTables(b *strings.Builder) {
	t := table{
		title:   "The tool code, through Registry.Execute",
		header:  []string{"language", "what", "p50", "p99", "fastest", "calls", "an inner call, more than direct, p50", "fastest"},
		textual: 2,
	}
	for _, c := range r.Code.Calls {
		cells := []string{c.Language, c.What}
		if c.Missing != "" {
			t.rows = append(t.rows, append(cells, notMeasured(c.Missing)))
			continue
		}
		cells = append(cells, duration(c.P50), duration(c.P99), duration(c.Min), fmt.Sprint(c.N))
		if c.What == measure.CodeInTurn {
			for _, figure := range []func(measure.Summary) time.Duration{p50, fastest} {
				cost, _ := r.Code.InnerCost(c.Language, figure)
				cells = append(cells, duration(cost))
			}
		}
		t.rows = append(t.rows, cells)
	}
	t.write(b)
	t = table{
		title:   "A ticket for each error in a log of 5,000 lines: what a model exchanges",
		header:  []string{"how", "round trips", "calls", "bytes written", "bytes read", "bytes of definitions"},
		textual: 1,
	}
	for _, k := range r.Code.Tasks {
		if k.Missing != "" {
			t.rows = append(t.rows, []string{k.How, notMeasured(k.Missing)})
			continue
		}
		t.rows = append(t.rows, []string{k.How, fmt.Sprint(k.RoundTrips), fmt.Sprint(k.Calls), fmt.Sprint(k.Written), fmt.Sprint(k.Read), fmt.Sprint(k.Definitions)})
	}
	t.write(b)
}

func p50(s measure.Summary) time.Duration { return s.P50 }

func fastest(s measure.Summary) time.Duration { return s.Min }

// codeBars are the targets for the tool code.
func (r Results) codeBars() []Bar {
	ten := r.Code.Call("JavaScript", measure.CodeInTurn)
	bars := []Bar{goal{"code, JavaScript with ten tool calls", atMost, float64(1500 * time.Microsecond), false, span}.compare(float64(ten.P50), ten.Missing)}
	for _, b := range []struct {
		language string
		limit    time.Duration
	}{{"JavaScript", 30 * time.Microsecond}, {"Python", 100 * time.Microsecond}} {
		cost, missing := r.Code.InnerCost(b.language, p50)
		g := goal{"code, time that a tool call in " + b.language + " adds to a direct call", atMost, float64(b.limit), false, span}
		bars = append(bars, g.compare(float64(cost), missing))
	}
	return bars
}
