package report

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"strings"
	"time"
)

// Machine describes the machine and the software of a run.
type Machine struct {
	CPU string `json:"cpu"`
	// Cores is the number of cores, and Procs the number of cores that the program uses.
	Cores  int    `json:"cores"`
	Procs  int    `json:"procs"`
	Memory string `json:"memory"`
	Kernel string `json:"kernel"`
	Load   string `json:"load_average_at_start"`
	// Versions are the versions of the systems under test and of Go.
	Versions []Version `json:"versions"`
	// ClockCost is how much reading the clock adds to each duration.
	ClockCost time.Duration `json:"clock_cost_ns"`
	Date      string        `json:"date"`
}

// Version is the version of a program or package.
type Version struct {
	Name    string `json:"name"`
	Version string `json:"version"`
}

// Describe describes this machine.
func Describe(ctx context.Context, clockCost time.Duration) Machine {
	m := Machine{
		CPU:       field("/proc/cpuinfo", "model name"),
		Cores:     runtime.NumCPU(),
		Procs:     runtime.GOMAXPROCS(0),
		Memory:    field("/proc/meminfo", "MemTotal"),
		Kernel:    runtime.GOOS + " " + firstLine("/proc/sys/kernel/osrelease"),
		Load:      firstLine("/proc/loadavg"),
		Versions:  []Version{{"go", runtime.Version()}},
		ClockCost: clockCost,
		Date:      time.Now().UTC().Format("2006-01-02 15:04 MST"),
	}
	m.Versions = append(m.Versions, modules()...)
	for _, argv := range [][]string{{"node", "--version"}, {"bwrap", "--version"}} {
		if out, err := exec.CommandContext(ctx, argv[0], argv[1:]...).Output(); err == nil {
			version := strings.TrimSpace(string(out))
			m.Versions = append(m.Versions, Version{argv[0], strings.TrimPrefix(version, "bubblewrap ")})
		}
	}
	return m
}

// modules returns the engines that this program is built with.
func modules() []Version {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return nil
	}
	engines := map[string]string{
		"github.com/tetratelabs/wazero":               "wazero",
		"github.com/extism/go-sdk":                    "extism go-sdk",
		"github.com/bytecodealliance/wasmtime-go/v39": "wasmtime",
		"github.com/samyfodil/wazy":                   "wazy",
	}
	var list []Version
	for _, d := range info.Deps {
		if name := engines[d.Path]; name != "" {
			list = append(list, Version{name, d.Version})
		}
	}
	return list
}

// field returns the value of a name in a file of "name: value" lines, or "unknown".
func field(file, name string) string {
	data, _ := os.ReadFile(file)
	for line := range strings.Lines(string(data)) {
		if key, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(key) == name {
			return strings.TrimSpace(value)
		}
	}
	return "unknown"
}

func firstLine(file string) string {
	data, err := os.ReadFile(file)
	if err != nil {
		return "unknown"
	}
	line, _, _ := strings.Cut(string(data), "\n")
	return line
}

// String describes the machine in a paragraph.
func (m Machine) String() string {
	var versions []string
	for _, v := range m.Versions {
		versions = append(versions, v.Name+" "+v.Version)
	}
	return fmt.Sprintf("%s, %d cores of which %d are used, %s of memory, %s, load %s at the start; %s. "+
		"Each duration includes one reading of the clock (%v). %s.",
		m.CPU, m.Cores, m.Procs, m.Memory, m.Kernel, m.Load, strings.Join(versions, ", "), m.ClockCost, m.Date)
}
