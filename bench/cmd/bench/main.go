// Command bench compares wasmtool with its alternatives in one run, and reports which targets of
// the design are reached. See README.md.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"runtime"
	"syscall"
	"time"

	"github.com/wasmtool/wasmtool/bench/internal/job"
	"github.com/wasmtool/wasmtool/bench/internal/measure"
	"github.com/wasmtool/wasmtool/bench/internal/peer"
	"github.com/wasmtool/wasmtool/bench/internal/report"
	wasmruntime "github.com/wasmtool/wasmtool/runtime"
)

func main() {
	compiler := wasmruntime.SelfCompiler() // does not return in the child process
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, compiler, os.Args[1:], os.Stdin, os.Stdout, os.Stderr); err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, compiler, args []string, in io.Reader, out, errOut io.Writer) error {
	if len(args) == 1 && args[0] == measure.HoldCommand {
		return measure.Hold(ctx, in, out)
	}
	o, err := parse(args, errOut)
	if err != nil {
		return err
	}
	o.compiler = compiler
	runtime.GOMAXPROCS(o.procs)
	results, err := o.measure(ctx, func(step string) {
		fmt.Fprintf(errOut, "%s %s\n", time.Now().Format(time.TimeOnly), step)
	})
	if err != nil {
		return err
	}
	if err := results.WriteMarkdown(out); err != nil {
		return err
	}
	return o.write(results)
}

type options struct {
	quick bool
	only  *regexp.Regexp
	procs int
	json  string
	plots string
	out   string
	plan  measure.Plan

	// compiler is the command that compiles large modules in a child process.
	compiler []string
}

func parse(args []string, errOut io.Writer) (options, error) {
	var o options
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	flags.SetOutput(errOut)
	only := flags.String("only", "", "measure only names that match `REGEXP`: guest/form/system, metering, metering/kind/program/variant, deadlines, throughput/guest/form/system, memory, starts, files, commands, scripts, code, parts")
	flags.BoolVar(&o.quick, "quick", false, "measure for less than a minute, as a smoke test; the figures mean nothing")
	flags.IntVar(&o.procs, "procs", min(2, runtime.NumCPU()), "use `N` processors (the targets are for 2)")
	rounds := flags.Int("rounds", 0, "run each loop and program `N` times in each variant when metering is measured (default: 11 to 25)")
	flags.StringVar(&o.json, "json", "", "also write the results as JSON to `FILE`")
	flags.StringVar(&o.plots, "plots", "", "write the plots to `DIR` (default: the directory of --out)")
	flags.StringVar(&o.out, "out", "out", "use `DIR` for guests (from guests/build.sh), caches and plots")
	if err := flags.Parse(args); err != nil {
		return options{}, err
	}
	if flags.NArg() > 0 {
		return options{}, fmt.Errorf("unexpected argument %q", flags.Arg(0))
	}
	var err error
	if o.only, err = regexp.Compile(*only); err != nil {
		return options{}, fmt.Errorf("--only: %w", err)
	}
	if o.procs < 1 {
		return options{}, errors.New("--procs: must be at least 1")
	}
	if o.out, err = filepath.Abs(o.out); err != nil {
		return options{}, err
	}
	if o.plots == "" {
		o.plots = o.out
	}
	o.plan = measure.Full()
	if o.quick {
		o.plan = measure.Quick()
	}
	if *rounds < 0 {
		return options{}, errors.New("--rounds: must not be negative")
	}
	if *rounds > 0 {
		o.plan.Metering, o.plan.Programs = *rounds, *rounds
	}
	return o, nil
}

func (o options) setup() (peer.Setup, error) {
	s := peer.Setup{
		Guests:       filepath.Join(o.out, "guests"),
		Corpus:       filepath.Join(o.out, "corpus"),
		Cache:        filepath.Join(o.out, "cache"),
		Warm:         job.Input(),
		Compiler:     o.compiler,
		MaxInstances: o.plan.MaxInstances(),
	}
	if _, err := os.Stat(s.Guests); err != nil {
		return s, errors.New("the guests are missing; run guests/build.sh first")
	}
	// The runtime refuses a cache that other users can read.
	return s, os.MkdirAll(s.Cache, 0o700)
}

// measure takes all selected measurements, one kind after the other.
func (o options) measure(ctx context.Context, progress func(string)) (report.Results, error) {
	s, err := o.setup()
	if err != nil {
		return report.Results{}, err
	}
	r := report.Results{Quick: o.quick, Machine: report.Describe(ctx, measure.ClockCost())}
	for _, guest := range peer.Guests() {
		if peers := o.selected("", peer.For(guest, s)); len(peers) > 0 {
			r.Calls = append(r.Calls, measure.Calls(ctx, guest, peers, o.plan, progress)...)
		}
	}
	if o.only.MatchString("metering") {
		r.Metering = measure.Metering(ctx, s, o.plan, progress)
	}
	r.Programs = measure.Programs(ctx, s, o.plan, o.only.MatchString, progress)
	if o.only.MatchString("deadlines") {
		r.Deadlines = measure.Deadlines(ctx, s, o.plan, progress)
	}
	var loaded []peer.Peer
	for _, name := range measure.LoadedPeers() {
		loaded = append(loaded, peer.Find(name, s))
	}
	if peers := o.selected("throughput/", loaded); len(peers) > 0 {
		r.Loads = measure.Throughput(ctx, peers, o.plan, progress)
	}
	if o.only.MatchString("memory") {
		r.Memory = measure.MemoryUse(ctx, s, o.plan, progress)
	}
	if o.only.MatchString("starts") {
		r.Starts = measure.Starts(ctx, s, o.plan, progress)
		r.FirstCalls = measure.FirstCalls(ctx, s, o.plan, progress)
	}
	if o.only.MatchString("files") {
		r.Files = measure.Files(ctx, s, o.plan, progress)
	}
	if o.only.MatchString("commands") {
		r.Commands = measure.Commands(ctx, s, o.plan, progress)
	}
	if o.only.MatchString("scripts") {
		r.Scripts = measure.Scripts(ctx, s, o.plan, progress)
	}
	if o.only.MatchString("code") {
		r.Code = measure.MeasureCode(ctx, s, o.plan, progress)
	}
	if o.only.MatchString("parts") {
		r.Parts = measure.Parts(ctx, s, o.plan, progress)
	}
	if err := ctx.Err(); err != nil {
		return r, err
	}
	r.Bars = report.CompareBars(r)
	return r, nil
}

// selected returns the peers that --only selects. It compares the pattern with prefix plus the name
// of a peer.
func (o options) selected(prefix string, peers []peer.Peer) []peer.Peer {
	var list []peer.Peer
	for _, p := range peers {
		if o.only.MatchString(prefix + p.Name().String()) {
			list = append(list, p)
		}
	}
	return list
}

// write writes the plots and the JSON file.
func (o options) write(r report.Results) error {
	if err := os.MkdirAll(o.plots, 0o755); err != nil {
		return err
	}
	for name, svg := range r.Figures() {
		if err := os.WriteFile(filepath.Join(o.plots, name), []byte(svg), 0o644); err != nil {
			return err
		}
	}
	if o.json == "" {
		return nil
	}
	f, err := os.Create(o.json)
	if err != nil {
		return err
	}
	return errors.Join(r.WriteJSON(f), f.Close())
}
