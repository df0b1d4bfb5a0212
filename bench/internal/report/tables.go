package report

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/wasmtool/wasmtool/bench/internal/measure"
	"github.com/wasmtool/wasmtool/bench/internal/peer"
)

// WriteMarkdown writes the machine, the targets and the tables.
func (r Results) WriteMarkdown(w io.Writer) error {
	var b strings.Builder
	b.WriteString("# wasmtool, compared\n\n" + r.Machine.String() + "\n\n")
	if r.Quick {
		b.WriteString("**A quick run, which only shows that everything works. Its figures mean nothing.**\n\n")
	}
	r.barTable().write(&b)
	r.callTables(&b)
	priceTable("The cost of being able to stop a guest", "loop", r.Metering).write(&b)
	priceTable("The cost of being able to stop programs that others wrote", "program", r.Programs).write(&b)
	r.deadlineTable(&b)
	r.loadTable(&b)
	r.memoryTable(&b)
	r.startTable(&b)
	r.firstCallTable(&b)
	r.fileTable(&b)
	r.commandTable(&b)
	r.scriptTable(&b)
	r.codeTables(&b)
	r.partTable(&b)
	_, err := io.WriteString(w, b.String())
	return err
}

// table is a Markdown table. Its first columns are text; the others are figures.
type table struct {
	title   string
	header  []string
	textual int // number of text columns
	rows    [][]string
}

func (t table) write(b *strings.Builder) {
	if len(t.rows) == 0 {
		return
	}
	fmt.Fprintf(b, "## %s\n\n| %s |\n|", t.title, strings.Join(t.header, " | "))
	for i := range t.header {
		if i < t.textual {
			b.WriteString(" --- |")
		} else {
			b.WriteString(" ---: |")
		}
	}
	b.WriteString("\n")
	for _, row := range t.rows {
		cells := make([]string, len(t.header))
		for i := range cells {
			if i < len(row) {
				cells[i] = escape(row[i])
			}
		}
		fmt.Fprintf(b, "| %s |\n", strings.Join(cells, " | "))
	}
	b.WriteString("\n")
}

// escape makes a string safe in one table cell: it joins the lines and escapes "|".
func escape(s string) string {
	return strings.ReplaceAll(strings.Join(strings.Fields(s), " "), "|", `\|`)
}

// duration formats a duration: in s, ms or µs with three significant digits, and below 1 µs as a
// whole number of ns.
func duration(d time.Duration) string {
	for _, u := range []struct {
		of   time.Duration
		name string
	}{{time.Second, "s"}, {time.Millisecond, "ms"}, {time.Microsecond, "µs"}} {
		if d >= u.of {
			return digits(float64(d)/float64(u.of)) + " " + u.name
		}
	}
	return fmt.Sprintf("%d ns", d)
}

// digits formats a number of at least 1 with three significant digits, and a number above 999 as an
// integer.
func digits(v float64) string {
	switch {
	case v >= 99.95:
		return fmt.Sprintf("%.0f", v)
	case v >= 9.995:
		return fmt.Sprintf("%.1f", v)
	}
	return fmt.Sprintf("%.2f", v)
}

// notMeasured returns the text that a table shows in place of missing figures.
func notMeasured(reason string) string { return "not measured: " + reason }

func (r Results) barTable() table {
	t := table{title: "Targets", header: []string{"target", "wanted", "measured", "reached"}, textual: 4}
	for _, b := range r.Bars {
		t.rows = append(t.rows, []string{b.What, b.Want, b.Got, b.Reached})
	}
	return t
}

// system returns the display name of a system.
func system(n peer.Name) string {
	switch n.System {
	case peer.Wasmtool:
		return "wasmtool, runtime"
	case peer.WasmtoolWarm:
		return "wasmtool, runtime, warmed snapshot"
	case peer.Registry:
		return "wasmtool, Registry.Execute"
	case peer.Reuse:
		return "wazero, one instance reused (unsafe)"
	case peer.Fresh:
		return "wazero, instance per call"
	case peer.FreshClose:
		return "wazero, instance per call, WithCloseOnContextDone"
	case peer.ExtismFresh:
		return "Extism go-sdk, plug-in per call"
	case peer.ExtismReused:
		return "Extism go-sdk, one plug-in reused"
	case peer.Wasmtime:
		return "wasmtime, pooling allocator, instance per call"
	case peer.WazyFresh:
		return "wazy, instance per call"
	case peer.WazyReused:
		return "wazy, one instance reused"
	case peer.Node:
		return "node:wasi, instance per call"
	case peer.Exec:
		return language(n.Guest) + " program, fork and exec"
	case peer.Bubblewrap:
		return language(n.Guest) + " program in bubblewrap"
	}
	return n.System
}

func (r Results) callTables(b *strings.Builder) {
	for _, guest := range peer.Guests() {
		t := table{
			title:   "One call, " + language(guest),
			header:  []string{"system", "form", "fresh for each call", "p50", "p99", "fastest", "calls", "p50 relative to wasmtool"},
			textual: 3,
		}
		for _, row := range r.Calls {
			if row.For != guest {
				continue
			}
			fresh := "yes"
			if row.Peer.Reuses() {
				fresh = "no"
			}
			cells := []string{system(row.Peer), row.Peer.Form, fresh}
			if row.Missing != "" {
				t.rows = append(t.rows, append(cells, notMeasured(row.Missing)))
				continue
			}
			cells = append(cells, duration(row.P50), duration(row.P99), duration(row.Min), fmt.Sprint(row.N), "")
			if own, _ := r.call(guest, ownName(row)); own > 0 {
				cells[len(cells)-1] = times(measure.Ratio(row.P50, own))
			}
			t.rows = append(t.rows, cells)
		}
		t.write(b)
	}
}

// ownName returns the wasmtool peer with which a row is compared: the command if the row is a
// command, and otherwise the reactor.
func ownName(row measure.Row) peer.Name {
	form := peer.Reactor
	if row.Peer.Form == peer.Command {
		form = peer.Command
	}
	return peer.Name{Guest: row.For, Form: form, System: peer.Wasmtool}
}

func (r Results) deadlineTable(b *strings.Builder) {
	t := table{
		title:  "How late an endless guest is stopped",
		header: []string{"concurrent guests", "p50", "p99", "latest", "calls"},
	}
	for _, o := range r.Deadlines {
		cells := []string{fmt.Sprint(o.Guests)}
		if o.Missing != "" {
			t.rows = append(t.rows, append(cells, notMeasured(o.Missing)))
			continue
		}
		t.rows = append(t.rows, append(cells, duration(o.P50), duration(o.P99), duration(o.Max), fmt.Sprint(o.N)))
	}
	t.write(b)
}

func (r Results) loadTable(b *strings.Builder) {
	t := table{
		title:   "Many callers",
		header:  []string{"guest", "system", "callers", "calls/s", "p50", "p99", "calls", "failed"},
		textual: 2,
	}
	for _, l := range r.Loads {
		cells := []string{language(l.Peer.Guest), system(l.Peer), fmt.Sprint(l.Callers)}
		if l.Missing != "" {
			t.rows = append(t.rows, append(cells, notMeasured(l.Missing)))
			continue
		}
		failed := fmt.Sprint(l.Failed)
		if l.Failure != "" {
			failed += " (" + l.Failure + ")"
		}
		t.rows = append(t.rows, append(cells, fmt.Sprintf("%.0f", l.PerSecond), duration(l.P50), duration(l.P99), fmt.Sprint(l.N), failed))
	}
	t.write(b)
}

func (r Results) memoryTable(b *strings.Builder) {
	t := table{
		title:   "Private memory of a process",
		header:  []string{"guest", "system", "instances", "all", "one more, live", "kept afterwards", "one more, just reset", "one more, trimmed"},
		textual: 2,
	}
	for _, m := range r.Memory {
		cells := []string{language(m.Guest), system(peer.Name{System: m.System})}
		if m.Missing != "" {
			t.rows = append(t.rows, append(cells, notMeasured(m.Missing)))
			continue
		}
		for i, h := range m.Live {
			row := append(cells[:2:2], fmt.Sprint(h.Instances), mib(h.KiB))
			if i == len(m.Live)-1 {
				row = append(row, kib(m.PerInstance()), fmt.Sprint(m.Kept))
				if m.Kept > 1 {
					row = append(row, kib(m.PerKept(m.Waiting)), kib(m.PerKept(m.Resting)))
				}
			}
			t.rows = append(t.rows, row)
		}
	}
	t.write(b)
}

func mib(kib int64) string { return fmt.Sprintf("%.1f MiB", float64(kib)/1024) }

func (r Results) startTable(b *strings.Builder) {
	t := table{
		title:   "'wasmtool run', process start to result, warm cache",
		header:  []string{"guest", "form", "p50", "p99", "fastest", "starts"},
		textual: 2,
	}
	for _, s := range r.Starts {
		cells := []string{language(s.Guest), s.Form}
		if s.Missing != "" {
			t.rows = append(t.rows, append(cells, notMeasured(s.Missing)))
			continue
		}
		t.rows = append(t.rows, append(cells, duration(s.P50), duration(s.P99), duration(s.Min), fmt.Sprint(s.N)))
	}
	t.write(b)
}

func (r Results) firstCallTable(b *strings.Builder) {
	t := table{
		title:   "'wasmtool run', process start to result, empty cache",
		header:  []string{"tool", "p50", "p99", "fastest", "calls"},
		textual: 1,
	}
	for _, c := range r.FirstCalls {
		if c.Missing != "" {
			t.rows = append(t.rows, []string{c.Tool, notMeasured(c.Missing)})
			continue
		}
		t.rows = append(t.rows, []string{c.Tool, duration(c.P50), duration(c.P99), duration(c.Min), fmt.Sprint(c.N)})
	}
	t.write(b)
}

func (r Results) fileTable(b *strings.Builder) {
	t := table{
		title:  "File tools, through Registry.Execute, in a tree of 20,000 files",
		header: []string{"tool", "p50", "p99", "fastest", "calls", "alternative", "p50", "p99", "ratio"},
	}
	for _, j := range r.Files {
		cells := []string{j.Tool}
		if j.Missing != "" {
			t.rows = append(t.rows, append(cells, notMeasured(j.Missing)))
			continue
		}
		cells = append(cells, duration(j.P50), duration(j.P99), duration(j.Min), fmt.Sprint(j.N))
		if j.Program != "" {
			cells = append(cells, j.Program, duration(j.Of.P50), duration(j.Of.P99), times(measure.Ratio(j.P50, j.Of.P50)))
		}
		t.rows = append(t.rows, cells)
	}
	t.write(b)
}

func (r Results) scriptTable(b *strings.Builder) {
	t := table{
		title:   "Scripts: a median of four numbers, with a new or copied interpreter in each call; Python imports eleven modules",
		header:  []string{"language", "system", "p50", "p99", "fastest", "calls", "relative"},
		textual: 2,
	}
	for _, s := range r.Scripts {
		cells := []string{s.Language, s.System}
		if s.Missing != "" {
			t.rows = append(t.rows, append(cells, notMeasured(s.Missing)))
			continue
		}
		base, _ := r.script(s.Language, measure.ScriptTool)
		t.rows = append(t.rows, append(cells, duration(s.P50), duration(s.P99), duration(s.Min), fmt.Sprint(s.N), times(measure.Ratio(s.P50, base))))
	}
	t.write(b)
}
