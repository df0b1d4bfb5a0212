// Command bench compares wasmtool with what one would use in its place, all in one run,
// and says which bars of the design are reached. See README.md.
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
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr); err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, in io.Reader, out, errOut io.Writer) error {
	if len(args) == 1 && args[0] == measure.HoldCommand {
		return measure.Hold(ctx, in, out)
	}
	o, err := parse(args, errOut)
	if err != nil {
		return err
	}
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

// options are the flags.
type options struct {
	quick bool
	only  *regexp.Regexp
	procs int
	json  string
	plots string
	out   string
	plan  measure.Plan
}

func parse(args []string, errOut io.Writer) (options, error) {
	var o options
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	flags.SetOutput(errOut)
	only := flags.String("only", "", "measure only what matches this `regexp`: guest/form/system, metering, deadlines, throughput/guest/form/system, memory, starts, files")
	flags.BoolVar(&o.quick, "quick", false, "measure so little that it takes less than a minute; the figures mean nothing")
	flags.IntVar(&o.procs, "procs", min(2, runtime.NumCPU()), "processors that this program uses (the bars are for 2)")
	flags.StringVar(&o.json, "json", "", "write the results as JSON to this `file`, too")
	flags.StringVar(&o.plots, "plots", "", "write the plots into this `folder` (default: that of --out)")
	flags.StringVar(&o.out, "out", "out", "the `folder` where guests/build.sh has left the guests, for caches and plots")
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
		return options{}, errors.New("--procs: at least 1")
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
	return o, nil
}

func (o options) setup() (peer.Setup, error) {
	s := peer.Setup{
		Guests:       filepath.Join(o.out, "guests"),
		Cache:        filepath.Join(o.out, "cache"),
		Warm:         job.Input(),
		MaxInstances: o.plan.MostInstances(),
	}
	if _, err := os.Stat(s.Guests); err != nil {
		return s, errors.New("there are no guests; run guests/build.sh first")
	}
	// The runtime uses no cache that others can read.
	return s, os.MkdirAll(s.Cache, 0o700)
}

// measure takes all measurements that are wanted, one kind after the other.
func (o options) measure(ctx context.Context, progress func(string)) (report.Results, error) {
	s, err := o.setup()
	if err != nil {
		return report.Results{}, err
	}
	r := report.Results{Quick: o.quick, Machine: report.Describe(ctx, measure.ClockCost())}
	for _, guest := range peer.Guests() {
		if peers := o.wanted("", peer.For(guest, s)); len(peers) > 0 {
			r.Calls = append(r.Calls, measure.Calls(ctx, guest, peers, o.plan, progress)...)
		}
	}
	if o.only.MatchString("metering") {
		r.Metering = measure.Metering(ctx, s, o.plan, progress)
	}
	if o.only.MatchString("deadlines") {
		r.Deadlines = measure.Deadlines(ctx, s, o.plan, progress)
	}
	var loaded []peer.Peer
	for _, name := range measure.LoadedPeers() {
		loaded = append(loaded, peer.Find(name, s))
	}
	if peers := o.wanted("throughput/", loaded); len(peers) > 0 {
		r.Loads = measure.Throughput(ctx, peers, o.plan, progress)
	}
	if o.only.MatchString("memory") {
		r.Memory = measure.MemoryUse(ctx, s, o.plan, progress)
	}
	if o.only.MatchString("starts") {
		r.Starts = measure.Starts(ctx, s, o.plan, progress)
	}
	if o.only.MatchString("files") {
		r.Files = measure.Files(ctx, s, o.plan, progress)
	}
	if err := ctx.Err(); err != nil {
		return r, err
	}
	r.Bars = report.JudgeBars(r)
	return r, nil
}

// wanted are the peers that --only leaves. prefix comes before their names.
func (o options) wanted(prefix string, peers []peer.Peer) []peer.Peer {
	var list []peer.Peer
	for _, p := range peers {
		if o.only.MatchString(prefix + p.Name().String()) {
			list = append(list, p)
		}
	}
	return list
}

// write writes the files.
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
