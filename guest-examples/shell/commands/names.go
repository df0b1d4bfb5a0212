package commands

import (
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"syscall"
)

var basename = spec{
	name: "basename", synopsis: "NAME [SUFFIX] | -a [-s SUFFIX] NAME...",
	options: "+ a,multiple s,suffix: z,zero", run: runBasename,
}

func runBasename(p *process, o options, names []string) int {
	suffix := o.value("s", "")
	switch {
	case len(names) == 0:
		return p.fail("missing operand")
	case o.has("a") || o.has("s"):
	case len(names) > 2:
		return p.fail("extra operand '%s'", names[2])
	case len(names) == 2:
		names, suffix = names[:1], names[1]
	}
	for _, name := range names {
		base := baseOf(name)
		if short := strings.TrimSuffix(base, suffix); short != "" {
			base = short
		}
		p.writeLine([]byte(base), lineEnd(o, "z"))
	}
	return 0
}

var dirname = spec{name: "dirname", synopsis: "NAME...", options: "z,zero", run: runDirname}

func runDirname(p *process, o options, names []string) int {
	if len(names) == 0 {
		return p.fail("missing operand")
	}
	for _, name := range names {
		dir := "."
		trimmed := strings.TrimRight(name, "/")
		switch slash := strings.LastIndexByte(trimmed, '/'); {
		case trimmed == "" && name != "":
			dir = "/"
		case slash >= 0:
			if dir = strings.TrimRight(trimmed[:slash], "/"); dir == "" {
				dir = "/"
			}
		}
		p.writeLine([]byte(dir), lineEnd(o, "z"))
	}
	return 0
}

var realpath = spec{
	name: "realpath", synopsis: "[-ems] [--relative-to=DIR] [--relative-base=DIR] FILE...",
	options: "e,canonicalize-existing m,canonicalize-missing s,strip,no-symlinks z,zero q,quiet relative-to: relative-base: L,logical P,physical",
	run:     runRealpath,
}

func runRealpath(p *process, o options, names []string) int {
	if len(names) == 0 {
		return p.fail("missing operand")
	}
	resolve := func(name string) (string, error) {
		switch o.last("s", "P", "L") {
		case "", "P":
			return p.resolve(name, o.has("e"), o.has("m"))
		case "L":
			return p.resolve(p.logical(name), o.has("e"), o.has("m"))
		}
		file := p.logical(name)
		if o.has("e") {
			_, err := os.Stat(file)
			return file, err
		}
		return file, nil
	}
	base, to := "", ""
	for option, target := range map[string]*string{"relative-base": &base, "relative-to": &to} {
		if !o.has(option) {
			continue
		}
		var err error
		if *target, err = resolve(o.value(option, ".")); err != nil {
			return p.fail("%s: %s", o.value(option, "."), message(err))
		}
	}
	if to == "" {
		to = base
	}
	for _, name := range names {
		resolved, err := resolve(name)
		if err != nil {
			if !o.has("q") {
				p.errorf("%s: %s", name, message(err))
			}
			p.status = 1
			continue
		}
		if to != "" && (base == "" || isBelow(base, resolved) && isBelow(base, to)) {
			if relative, err := filepath.Rel(to, resolved); err == nil {
				resolved = relative
			}
		}
		p.writeLine([]byte(resolved), lineEnd(o, "z"))
	}
	return p.status
}

// logical returns the clean absolute path of a name, whose ".." do not follow links.
func (p *process) logical(name string) string {
	if path.IsAbs(name) {
		return path.Clean(name)
	}
	return path.Join(p.env.Dir, name)
}

// isBelow reports whether a file is the directory or in it.
func isBelow(dir, file string) bool {
	return file == dir || strings.HasPrefix(file, strings.TrimSuffix(dir, "/")+"/")
}

// resolve returns the absolute name without symbolic links. If exists is set, the whole path must
// exist. If missing is set, any part of the path may be missing. Otherwise only the last part may
// be missing.
func (p *process) resolve(name string, exists, missing bool) (string, error) {
	// Without path.Clean, because a/.. need not be the working directory if a is a link.
	file := name
	if !path.IsAbs(file) {
		file = p.env.Dir + "/" + name
	}
	const maxLinks = 40
	for range maxLinks {
		resolved, err := filepath.EvalSymlinks(file)
		switch {
		case err == nil:
			if _, err := os.Stat(file); errors.Is(err, syscall.ENOTDIR) && !missing {
				return "", err // such as file/..
			}
			return resolved, nil
		case missing && !exists:
			return resolveExisting(file), nil
		case exists || !errors.Is(err, fs.ErrNotExist):
			return "", err
		}
		directory, base := path.Split(strings.TrimRight(file, "/"))
		if base == ".." {
			return "", err
		}
		parent, err := filepath.EvalSymlinks(directory)
		if err != nil {
			return "", err
		}
		if info, err := os.Stat(parent); err != nil || !info.IsDir() {
			return "", fs.ErrInvalid
		}
		// The last part is missing, or a link to a missing file.
		file = path.Join(parent, base)
		target, err := os.Readlink(file)
		if err != nil {
			return file, nil
		}
		if file = path.Join(parent, target); path.IsAbs(target) {
			file = path.Clean(target)
		}
	}
	return "", syscall.ELOOP
}

// resolveExisting follows the links in a path, as far as its parts exist.
func resolveExisting(file string) string {
	resolved := "/"
	for part := range strings.SplitSeq(file, "/") {
		resolved = path.Join(resolved, part)
		if target, err := filepath.EvalSymlinks(resolved); err == nil {
			resolved = target
		}
	}
	return resolved
}

var readlink = spec{
	name: "readlink", synopsis: "[-efmn] FILE...",
	options: "f,canonicalize e,canonicalize-existing m,canonicalize-missing n,no-newline q,quiet s,silent v,verbose z,zero",
	run:     runReadlink,
}

func runReadlink(p *process, o options, names []string) int {
	if len(names) == 0 {
		return p.fail("missing operand")
	}
	for i, name := range names {
		var text string
		var err error
		if o.has("f") || o.has("e") || o.has("m") {
			text, err = p.resolve(name, o.has("e"), o.has("m"))
		} else {
			text, err = os.Readlink(p.path(name))
		}
		if err != nil {
			if p.status = 1; o.last("v", "q", "s") == "v" {
				p.errorf("%s: %s", name, message(err))
			}
			continue
		}
		if p.print(text); !o.has("n") || i < len(names)-1 {
			p.write([]byte{lineEnd(o, "z")})
		}
	}
	return p.status
}

var ln = spec{
	name: "ln", synopsis: "[-sfv] [-T] TARGET NAME | TARGET... DIRECTORY",
	options: rawArguments,
	note:    "The sandbox can't create links; copy with cp instead.",
	run: func(p *process, _ options, names []string) int {
		if len(names) == 0 {
			return p.fail("missing file operand")
		}
		return p.fail("failed to create link '%s': Operation not permitted; the sandbox can't create links, so copy with cp instead", names[len(names)-1])
	},
}

var chmod = spec{
	name: "chmod", synopsis: "[-Rvcf] MODE FILE...", options: rawArguments,
	note: "MODE is a mode such as 644, +x or u+w,go-r. In the sandbox chmod has no lasting effect: the granted permissions decide the access.",
	run:  runChmod,
}

func runChmod(p *process, _ options, words []string) int {
	recursive, verbose, changes, quiet := false, false, false, false
	for len(words) > 0 && len(words[0]) > 1 && words[0][0] == '-' && strings.Trim(words[0][1:], "Rvcf") == "" {
		recursive = recursive || strings.Contains(words[0], "R")
		verbose = verbose || strings.Contains(words[0], "v")
		changes = changes || strings.Contains(words[0], "c")
		quiet = quiet || strings.Contains(words[0], "f")
		words = words[1:]
	}
	switch len(words) {
	case 0:
		return p.fail("missing operand")
	case 1:
		return p.fail("missing operand after '%s'", words[0])
	}
	change, err := parseMode(words[0])
	if err != nil {
		return p.fail("invalid mode: '%s'", words[0])
	}
	complain := func(format string, args ...any) {
		if p.status = 1; !quiet {
			p.errorf(format, args...)
		}
	}
	apply := func(f found) walkStep {
		old := f.info.Mode()
		mode := change(old, f.info.IsDir())
		if old&fs.ModeSymlink != 0 && f.depth > 0 {
			return skipDirectory // -R leaves links as they are
		}
		switch err := os.Chmod(f.path, mode); {
		case err != nil:
			complain("changing permissions of '%s': %s", f.name, message(err))
		case unixMode(old) != unixMode(mode) && (verbose || changes):
			p.printf("mode of '%s' changed from %04o (%s) to %04o (%s)\n", f.name, unixMode(old), modeText(old)[1:], unixMode(mode), modeText(mode)[1:])
		case verbose:
			p.printf("mode of '%s' retained as %04o (%s)\n", f.name, unixMode(mode), modeText(mode)[1:])
		}
		if recursive {
			return descend
		}
		return skipDirectory
	}
	for _, name := range words[1:] {
		p.walk(name, walkRules{}, apply, func(name string, err error) { complain("cannot access '%s': %s", name, message(err)) })
	}
	return p.status
}

var mktemp = spec{
	name: "mktemp", synopsis: "[-d] [-u] [-q] [-p DIR | --tmpdir[=DIR]] [-t] [TEMPLATE]",
	options: "d,directory u,dry-run q,quiet p: tmpdir:: t suffix:",
	run:     runMktemp,
}

func runMktemp(p *process, o options, names []string) int {
	fail := func(format string, args ...any) int {
		if o.has("q") {
			return 1
		}
		return p.fail(format, args...)
	}
	template := "tmp.XXXXXXXXXX"
	if len(names) > 0 {
		template = names[0]
	}
	at := strings.LastIndex(template, "XXX")
	if at < 0 {
		return fail("too few X's in template '%s'", template)
	}
	dir := p.temporaryDirectory(o, len(names) > 0)
	if dir != "" && path.IsAbs(template) || o.has("t") && strings.Contains(template, "/") {
		return fail("invalid template, '%s'; with -p, --tmpdir or -t it is a name below the directory", template)
	}
	end, start := at+3, at
	for start > 0 && template[start-1] == 'X' {
		start--
	}
	pattern := template[:start] + "\x00" + template[end:] + o.value("suffix", "")
	if dir != "" {
		pattern = join(dir, pattern)
	}
	name, err := p.makeTemporary(pattern, end-start, o.has("d"), o.has("u"))
	if err != nil {
		return fail("failed to create file via template '%s': %s", template, message(err))
	}
	p.print(name + "\n")
	return 0
}

// temporaryDirectory returns the directory for mktemp; "" is the current one.
func (p *process) temporaryDirectory(o options, template bool) string {
	given := o.value("p", o.value("tmpdir", ""))
	variable := p.env.Getenv("TMPDIR")
	switch {
	case o.has("t") && variable != "":
		return variable
	case given != "":
		return given
	case template && !o.has("t") && !o.has("p") && !o.has("tmpdir"):
		return ""
	case variable != "":
		return variable
	}
	return "/tmp"
}

// makeTemporary creates a file or a directory and returns its name, in which length random
// characters replace the NUL of the pattern. With only set, it creates nothing.
func (p *process) makeTemporary(pattern string, length int, directory, only bool) (string, error) {
	const attempts = 1000
	var err error
	for range attempts {
		random := ""
		for len(random) < length {
			random += rand.Text()
		}
		name := strings.Replace(pattern, "\x00", random[:length], 1)
		file := p.path(name)
		switch {
		case only:
			if _, err = os.Lstat(file); err != nil {
				return name, nil
			}
			err = fs.ErrExist
		case directory:
			err = os.Mkdir(file, 0o700)
		default:
			var f *os.File
			if f, err = os.OpenFile(file, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600); err == nil {
				err = f.Close()
			}
		}
		if !errors.Is(err, fs.ErrExist) {
			return name, err
		}
	}
	return "", err
}
