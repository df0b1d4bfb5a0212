package report

import (
	"fmt"
	"time"

	"github.com/wasmtool/wasmtool/bench/internal/peer"
	"github.com/wasmtool/wasmtool/bench/internal/plot"
)

// Figures returns the plots by file name, without plots for which nothing was measured.
func (r Results) Figures() map[string]string {
	figures := make(map[string]string)
	if len(r.Loads) > 0 {
		figures["latency.svg"] = r.latency().SVG()
	}
	if len(r.Memory) > 0 {
		figures["memory.svg"] = r.memory().SVG()
	}
	return figures
}

// latency plots how long a call takes against the number of callers. The median is a solid line,
// and the 99th percentile a dashed line.
func (r Results) latency() plot.Figure {
	figure := plot.Figure{Title: fmt.Sprintf("Latency of a call, %d cores", r.Machine.Procs)}
	for _, guest := range []string{"go", "c"} {
		chart := plot.Chart{
			Title: language(guest) + " guest",
			X:     plot.Axis{Label: "concurrent callers"},
			Y:     plot.Axis{Label: "latency", Format: func(v float64) string { return time.Duration(v).String() }},
		}
		var order []peer.Name
		lines := make(map[peer.Name][2][]plot.Point)
		for _, l := range r.Loads {
			if l.Peer.Guest != guest || l.N == 0 {
				continue
			}
			line, known := lines[l.Peer]
			if !known {
				order = append(order, l.Peer)
			}
			line[0] = append(line[0], plot.Point{X: float64(l.Callers), Y: float64(l.P50)})
			line[1] = append(line[1], plot.Point{X: float64(l.Callers), Y: float64(l.P99)})
			lines[l.Peer] = line
		}
		for i, name := range order {
			chart.Series = append(chart.Series,
				plot.Series{Name: short(name.System) + ", p50", Colour: i, Points: lines[name][0]},
				plot.Series{Name: short(name.System) + ", p99", Colour: i, Dashed: true, Points: lines[name][1]})
		}
		figure.Charts = append(figure.Charts, chart)
	}
	return figure
}

// memory plots the memory of a process against the number of live instances.
func (r Results) memory() plot.Figure {
	chart := plot.Chart{
		Title: "one process, Go and C guests",
		X:     plot.Axis{Label: "live instances"},
		Y:     plot.Axis{Label: "MiB"},
	}
	for i, m := range r.Memory {
		s := plot.Series{Name: language(m.Guest) + ", " + short(m.System), Colour: i}
		for _, h := range m.Live {
			s.Points = append(s.Points, plot.Point{X: float64(h.Instances), Y: float64(h.KiB) / 1024})
		}
		chart.Series = append(chart.Series, s)
	}
	return plot.Figure{Title: "Private memory", Charts: []plot.Chart{chart}}
}

// short returns a system's name for a legend.
func short(system string) string {
	switch system {
	case peer.Fresh:
		return "wazero, fresh"
	case peer.Wasmtime:
		return "wasmtime, pooling"
	case peer.ExtismFresh:
		return "Extism go-sdk"
	}
	return system
}
