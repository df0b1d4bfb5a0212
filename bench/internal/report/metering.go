package report

import (
	"fmt"

	"github.com/wasmtool/wasmtool/bench/internal/measure"
	"github.com/wasmtool/wasmtool/bench/internal/peer"
)

// priceTable shows what variants of loops or programs cost.
func priceTable(title, what string, prices []measure.Price) table {
	t := table{
		title:   title,
		header:  []string{"guest", what, "unmetered", "metered", "WithCloseOnContextDone", "metered, ratio", "WithCloseOnContextDone, ratio"},
		textual: 2,
	}
	var guests []string
	for i, p := range prices {
		if i == 0 || p.Guest != prices[i-1].Guest {
			guests = append(guests, p.Guest)
		}
		cells := []string{language(p.Guest), p.Loop}
		if p.Missing != "" {
			t.rows = append(t.rows, append(cells, notMeasured(p.Missing)))
			continue
		}
		for _, v := range measure.Variants() {
			cells = append(cells, figure(p.Variants[v].N > 0, duration(p.Variants[v].P50)))
		}
		for _, v := range measure.Variants()[1:] {
			cells = append(cells, figure(p.Ratio[v] > 0, times(p.Ratio[v])))
		}
		t.rows = append(t.rows, cells)
	}
	for _, guest := range guests {
		cells := []string{language(guest), "", "", "", ""}
		for _, v := range measure.Variants()[1:] {
			mean, n := measure.MeanPrice(prices, guest, v)
			cells = append(cells, figure(n > 0, times(mean)))
			if v == peer.Metered {
				cells[1] = fmt.Sprintf("geometric mean of %d", n)
			}
		}
		t.rows = append(t.rows, cells)
	}
	return t
}

// figure returns a figure if it was measured.
func figure(measured bool, text string) string {
	if !measured {
		return ""
	}
	return text
}

// meteringBars are the targets for programs that others wrote. A target needs a figure of each of
// its programs.
func (r Results) meteringBars() []Bar {
	limits := map[string]float64{"c": 1.10, "go": 1.20, "interpreters": 1.25}
	var bars []Bar
	for _, kind := range measure.Corpus() {
		value, n := measure.MeanPrice(r.Programs, kind.Name, peer.Metered)
		missing := ""
		if n < len(kind.Programs) {
			missing = leftOut
		}
		for _, p := range r.Programs {
			if p.Guest == kind.Name && p.Missing != "" {
				missing = p.Loop + ": " + p.Missing
			}
		}
		g := goal{
			fmt.Sprintf("metered code relative to unmetered code, geometric mean of %d programs of others, %s", len(kind.Programs), language(kind.Name)),
			atMost, limits[kind.Name], false, times,
		}
		bars = append(bars, g.compare(value, missing))
	}
	return bars
}
