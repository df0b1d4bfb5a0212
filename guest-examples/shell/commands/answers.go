package commands

import (
	"fmt"
	"slices"
	"strings"
)

// The values that these commands print are the same in every sandbox, so that they reveal nothing
// about the machine.
const (
	hostName   = "sandbox"
	systemName = "WASI"
	machine    = "wasm32"
)

var whoami = spec{
	name: "whoami", note: "The name is always \"user\".",
	run: func(p *process, _ options, _ []string) int { p.print(userName + "\n"); return 0 },
}

var hostname = spec{
	name: "hostname", options: "s,short f,fqdn,long", note: "The name is always \"sandbox\".",
	run: func(p *process, _ options, names []string) int {
		if len(names) > 0 {
			return p.fail("you must be root to change the host name")
		}
		p.print(hostName + "\n")
		return 0
	},
}

var arch = spec{name: "arch", run: func(p *process, _ options, _ []string) int { p.print(machine + "\n"); return 0 }}

var nproc = spec{name: "nproc", options: "all ignore:", run: func(p *process, _ options, _ []string) int { p.print("1\n"); return 0 }}

var uname = spec{
	name: "uname", synopsis: "[-amnoprsv]", note: "The values are the same in every sandbox.",
	options: "a,all s,kernel-name n,nodename r,kernel-release v,kernel-version m,machine p,processor i,hardware-platform o,operating-system",
	run: func(p *process, o options, _ []string) int {
		var out []string
		for _, answer := range []struct{ option, text string }{
			{"s", systemName}, {"n", hostName}, {"r", "1.0"}, {"v", "preview1"}, {"m", machine}, {"o", systemName},
		} {
			if o.has(answer.option) || o.has("a") {
				out = append(out, answer.text)
			}
		}
		if o.has("p") || o.has("i") {
			out = append(out, machine)
		}
		if len(out) == 0 {
			out = []string{systemName}
		}
		p.print(strings.Join(out, " ") + "\n")
		return 0
	},
}

var id = spec{
	name: "id", synopsis: "[-Ggnu] [user]", note: "The values are the same in every sandbox.", options: "u,user g,group G,groups n,name r,real",
	run: func(p *process, o options, names []string) int {
		for _, name := range names {
			if name != userName && name != userID {
				return p.fail("'%s': no such user", name)
			}
		}
		switch {
		case !o.has("u") && !o.has("g") && !o.has("G"):
			p.printf("uid=%s(%s) gid=%s(%s) groups=%s(%s)\n", userID, userName, userID, userName, userID, userName)
		case o.has("n"):
			p.print(userName + "\n")
		default:
			p.print(userID + "\n")
		}
		return 0
	},
}

// whichSpec and helpSpec are functions, because variables would form an initialisation cycle with
// the table of commands.
func whichSpec() spec {
	return spec{name: "which", synopsis: "[-a] NAME...", options: "a,all s", run: runWhich}
}

func runWhich(p *process, o options, names []string) int {
	status := 0
	for _, name := range names {
		if !slices.ContainsFunc(all(nil), func(s spec) bool { return s.name == name }) {
			status = 1
			continue
		}
		if !o.has("s") {
			p.printf("/bin/%s\n", name)
		}
	}
	return status
}

func helpSpec() spec {
	return spec{name: "help", synopsis: "[COMMAND]...", options: rawArguments, run: runHelp}
}

func runHelp(p *process, _ options, names []string) int {
	specs := all(nil)
	if len(names) == 0 {
		p.print("This shell is a sandbox: bash syntax, and these commands in place of programs (help NAME says more):\n")
		line := ""
		for _, s := range specs {
			if len(line)+len(s.name) > 78 {
				p.print(line + "\n")
				line = ""
			}
			line += s.name + " "
		}
		p.print(strings.TrimSpace(line) + "\n")
		return 0
	}
	for _, name := range names {
		at := slices.IndexFunc(specs, func(s spec) bool { return s.name == name })
		if at < 0 {
			p.errorf("no help topics match '%s'; help without arguments lists all", name)
			continue
		}
		p.print(specs[at].help())
	}
	return p.status
}

var yes = spec{name: "yes", synopsis: "[STRING]...", options: rawArguments, run: runYes}

func runYes(p *process, _ options, words []string) int {
	if len(words) == 0 {
		words = []string{"y"}
	}
	line := fmt.Sprintln(strings.Join(words, " "))
	for !p.stopped() {
		p.print(line)
	}
	return 0
}
