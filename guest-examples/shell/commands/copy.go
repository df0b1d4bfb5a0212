package commands

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"strings"
	"syscall"
)

var cp = spec{
	name: "cp", synopsis: "[OPTION]... SOURCE... DEST | -t DIRECTORY SOURCE...",
	options: "r,recursive R a,archive p preserve:: no-preserve: f,force n,no-clobber v,verbose u,update t,target-directory: T,no-target-directory " +
		"d P,no-dereference L,dereference H i,interactive l,link s,symbolic-link parents remove-destination reflink:: sparse:",
	note: "-i, -l and -s are refused. Files keep no owner, and copies are neither sparse nor shared.",
	run:  runCp,
}

var mv = spec{
	name: "mv", synopsis: "[-fnuv] [-T] SOURCE... DEST | -t DIRECTORY SOURCE...",
	options: "f,force n,no-clobber v,verbose u,update t,target-directory: T,no-target-directory i,interactive strip-trailing-slashes",
	note:    "-i is refused: there is no terminal.",
	run:     runMv,
}

// transfer is one run of cp or mv.
type transfer struct {
	p                            *process
	keep, update, verbose, force bool
	recursive, times, links      bool
	parents, replace             bool
	// followFirst follows links on the command line, also if links below them are copied as links.
	followFirst bool
	plainModes  bool     // copies have the default mode
	above       []string // directories that are being copied, if links are followed
}

func runCp(p *process, o options, names []string) int {
	for _, refused := range []string{"i", "l", "s"} {
		if o.has(refused) {
			return p.fail("-%s is not supported; omit it to copy the files", refused)
		}
	}
	for _, name := range []string{"reflink", "sparse"} {
		if when := o.value(name, "auto"); when != "auto" && when != "never" {
			return p.fail("--%s=%s is not supported; use --%s=auto", name, cmp.Or(when, "always"), name)
		}
	}
	follow := o.last("L", "H", "P", "d", "a")
	t := &transfer{
		p: p, keep: o.has("n"), update: o.has("u"), verbose: o.has("v"), force: o.has("f"),
		recursive: o.has("r") || o.has("R") || o.has("a"), parents: o.has("parents"), replace: o.has("remove-destination"),
		links: follow != "L" && (follow != "" || o.has("r") || o.has("R")), followFirst: follow == "H",
	}
	if err := t.preserve(o); err != nil {
		return p.fail("%v", err)
	}
	return t.run(o, names, t.copy)
}

// preserve reads the options that choose the attributes of copies.
func (t *transfer) preserve(o options) error {
	for _, opt := range o {
		keep := opt.name != "no-preserve"
		switch opt.name {
		case "a", "p":
			t.times = true
			continue
		case "preserve", "no-preserve":
		default:
			continue
		}
		for attribute := range strings.SplitSeq(cmp.Or(opt.value, "mode,ownership,timestamps"), ",") {
			switch attribute {
			case "timestamps":
				t.times = keep
			case "mode":
				t.plainModes = !keep
			case "all":
				t.times, t.plainModes = keep, !keep
			case "ownership":
			case "links", "context", "xattr":
				if keep {
					return fmt.Errorf("--preserve=%s is not supported: files have no such attributes; use mode and timestamps", attribute)
				}
			default:
				return fmt.Errorf("invalid argument '%s' for '--%s'; use mode, timestamps, ownership, links, context, xattr or all", attribute, opt.name)
			}
		}
	}
	return nil
}

// mode returns the mode of a copy.
func (t *transfer) mode(info fs.FileInfo) fs.FileMode {
	switch {
	case !t.plainModes:
		return info.Mode().Perm()
	case info.IsDir():
		return 0o777
	}
	return 0o666
}

func runMv(p *process, o options, names []string) int {
	if o.has("i") && o.last("i", "f", "n") == "i" {
		return p.fail("-i is not supported: there is no terminal; omit it")
	}
	if o.has("strip-trailing-slashes") {
		for i, name := range names[:max(len(names)-1, 0)] {
			names[i] = cmp.Or(strings.TrimRight(name, "/"), "/")
		}
	}
	t := &transfer{p: p, keep: o.has("n") && o.last("n", "f") == "n", update: o.has("u"), verbose: o.has("v"), recursive: true, times: true, links: true}
	return t.run(o, names, t.move)
}

// run calls the function do for each source, with the source and its target.
func (t *transfer) run(o options, names []string, do func(from, to string)) int {
	p := t.p
	if o.has("t") {
		directory := o.value("t", "")
		switch info, err := os.Stat(p.path(directory)); {
		case err != nil:
			return p.fail("target directory '%s': %s", directory, message(err))
		case !info.IsDir():
			return p.fail("target directory '%s': %s", directory, message(syscall.ENOTDIR))
		case len(names) == 0:
			return p.fail("missing file operand")
		}
		return t.into(directory, names, do)
	}
	switch {
	case len(names) == 0:
		return p.fail("missing file operand")
	case len(names) == 1:
		return p.fail("missing destination file operand after '%s'", names[0])
	}
	sources, to := names[:len(names)-1], names[len(names)-1]
	info, err := os.Stat(p.path(to))
	isDirectory := err == nil && info.IsDir()
	switch {
	case o.has("T") && len(sources) > 1:
		return p.fail("extra operand '%s'", to)
	case isDirectory && !o.has("T"):
		return t.into(to, sources, do)
	case len(sources) > 1 && err != nil:
		return p.fail("target '%s': %s", to, message(err))
	case len(sources) > 1:
		return p.fail("target '%s': %s", to, message(syscall.ENOTDIR))
	}
	do(sources[0], to)
	return p.status
}

func (t *transfer) into(directory string, sources []string, do func(from, to string)) int {
	for _, source := range sources {
		if t.p.stopped() {
			break
		}
		name := path.Base(path.Clean(source))
		if t.parents {
			name = path.Clean(source)
			m := directoryMaker{p: t.p}
			if err := m.all(path.Dir(join(directory, name))); err != nil {
				t.p.errorf("cannot make directory '%s': %s", path.Dir(join(directory, name)), message(err))
				continue
			}
		}
		if base := path.Base(source); base == "." || base == ".." {
			name = "." // copy the content, not the directory
		}
		do(source, join(directory, name))
	}
	return t.p.status
}

// copy copies a file or a directory.
func (t *transfer) copy(from, to string) {
	stat := os.Stat
	if t.links && !t.followFirst {
		stat = os.Lstat
	}
	info, err := stat(t.p.path(from))
	if err == nil && strings.HasSuffix(from, "/") && !info.IsDir() {
		err = syscall.ENOTDIR
	}
	switch {
	case err != nil:
		t.p.errorf("cannot stat '%s': %s", from, message(err))
		return
	case info.IsDir() && !t.recursive:
		t.p.errorf("-r not specified; omitting directory '%s'", from)
		return
	case info.IsDir():
		source, target := t.p.path(from), t.p.path(to)
		if target == source {
			t.p.errorf("'%s' and '%s' are the same file", from, to)
			return
		}
		if strings.HasPrefix(target+"/", strings.TrimSuffix(source, "/")+"/") {
			t.p.errorf("cannot copy a directory, '%s', into itself, '%s'", from, to)
			return
		}
	}
	t.tree(from, to, info, 0)
}

// tree copies a file, or a directory with its content.
func (t *transfer) tree(from, to string, info fs.FileInfo, depth int) bool {
	if t.p.stopped() {
		return false
	}
	source, target := t.p.path(from), t.p.path(to)
	old, err := os.Stat(target)
	if errors.Is(err, syscall.ENOTDIR) {
		t.p.errorf("cannot stat '%s': %s", to, message(err))
		return false
	}
	exists := err == nil
	switch {
	case exists && old.IsDir() && !info.IsDir():
		t.p.errorf("cannot overwrite directory '%s' with non-directory", to)
		return false
	case exists && !old.IsDir() && info.IsDir():
		t.p.errorf("cannot overwrite non-directory '%s' with directory '%s'", to, from)
		return false
	case exists && !info.IsDir() && source == target:
		t.p.errorf("'%s' and '%s' are the same file", from, to)
		return false
	case exists && !info.IsDir() && (t.keep || t.update && !info.ModTime().After(old.ModTime())):
		return true
	case depth > maxDepth:
		t.p.errorf("cannot copy '%s': %s", from, message(syscall.ENAMETOOLONG))
		return false
	}
	copied := false
	switch {
	case info.IsDir():
		copied = t.directory(from, to, exists, info, depth)
	case info.Mode()&fs.ModeSymlink != 0:
		copied = t.link(from, to)
	case !info.Mode().IsRegular():
		t.p.errorf("cannot copy '%s': it is neither a file nor a directory", from)
	default:
		copied = t.file(from, to, info)
	}
	if copied && t.times && info.Mode()&fs.ModeSymlink == 0 {
		if err := os.Chtimes(target, info.ModTime(), info.ModTime()); err != nil {
			t.p.errorf("preserving times for '%s': %s", to, message(err))
		}
	}
	return copied
}

func (t *transfer) say(from, to string) {
	if t.verbose {
		t.p.printf("'%s' -> '%s'\n", from, to)
	}
}

func (t *transfer) directory(from, to string, exists bool, info fs.FileInfo, depth int) bool {
	if !t.links {
		above := t.above
		defer func() { t.above = above }()
		var looped bool
		if t.above, looped = entered(above, t.p.path(from)); looped {
			t.p.errorf("cannot copy '%s': %s", from, message(syscall.ELOOP))
			return false
		}
	}
	entries, err := os.ReadDir(t.p.path(from))
	if err != nil {
		t.p.errorf("cannot access '%s': %s", from, message(err))
		return false
	}
	if !exists {
		if err := os.Mkdir(t.p.path(to), t.mode(info)|0o700); err != nil {
			t.p.errorf("cannot create directory '%s': %s", to, message(err))
			return false
		}
		t.say(from, to)
	}
	all := true
	for _, entry := range entries {
		inner, err := entry.Info()
		if err == nil && inner.Mode()&fs.ModeSymlink != 0 && !t.links {
			inner, err = os.Stat(t.p.path(join(from, entry.Name())))
		}
		if err != nil {
			t.p.errorf("cannot stat '%s': %s", join(from, entry.Name()), message(err))
			all = false
			continue
		}
		all = t.tree(join(from, entry.Name()), join(to, entry.Name()), inner, depth+1) && all
	}
	return all
}

func (t *transfer) link(from, to string) bool {
	target, err := os.Readlink(t.p.path(from))
	if err == nil {
		err = os.Symlink(target, t.p.path(to))
	}
	if err != nil {
		t.p.errorf("cannot create symbolic link '%s': %s", to, message(err))
		return false
	}
	t.say(from, to)
	return true
}

func (t *transfer) file(from, to string, info fs.FileInfo) bool {
	in, err := os.Open(t.p.path(from))
	if err != nil {
		t.p.errorf("cannot open '%s' for reading: %s", from, message(err))
		return false
	}
	defer in.Close()
	if strings.HasSuffix(to, "/") {
		t.p.errorf("cannot create regular file '%s': %s", to, message(syscall.ENOTDIR))
		return false
	}
	if t.replace {
		_ = os.Remove(t.p.path(to)) // if it stays, opening it reports why
	}
	out, err := os.OpenFile(t.p.path(to), os.O_WRONLY|os.O_CREATE|os.O_TRUNC, t.mode(info))
	if err != nil && t.force && os.Remove(t.p.path(to)) == nil {
		out, err = os.OpenFile(t.p.path(to), os.O_WRONLY|os.O_CREATE|os.O_TRUNC, t.mode(info))
	}
	if err != nil {
		t.p.errorf("cannot create regular file '%s': %s", to, message(err))
		return false
	}
	t.say(from, to)
	if err := firstError(t.p.copy(out, in), out.Close()); err != nil {
		t.p.errorf("error writing '%s': %s", to, message(err))
		return false
	}
	return !t.p.stopped()
}

// move renames a file, or copies and removes it if renaming is not possible.
func (t *transfer) move(from, to string) {
	p := t.p
	info, err := os.Lstat(p.path(from))
	if err == nil && strings.HasSuffix(from, "/") && !info.IsDir() {
		err = syscall.ENOTDIR
	}
	if err != nil {
		p.errorf("cannot stat '%s': %s", from, message(err))
		return
	}
	source, target := p.path(from), p.path(to)
	old, err := os.Lstat(target)
	if err == nil {
		switch {
		case source == target:
			p.errorf("'%s' and '%s' are the same file", from, to)
			return
		case old.IsDir() && !info.IsDir():
			p.errorf("cannot overwrite directory '%s' with non-directory", to)
			return
		case !old.IsDir() && info.IsDir():
			p.errorf("cannot overwrite non-directory '%s' with directory '%s'", to, from)
			return
		case t.keep || t.update && !info.ModTime().After(old.ModTime()):
			return
		}
	}
	if info.IsDir() && strings.HasPrefix(target+"/", source+"/") {
		p.errorf("cannot move '%s' to a subdirectory of itself, '%s'", from, to)
		return
	}
	if err := t.rename(from, to, info); err != nil {
		p.errorf("cannot move '%s' to '%s': %v", from, to, err)
		return
	}
	if t.verbose {
		p.printf("renamed '%s' -> '%s'\n", from, to)
	}
}

func (t *transfer) rename(from, to string, info fs.FileInfo) error {
	if info.IsDir() {
		// os.Remove replaces only an empty directory; it fails for any other directory.
		if err := os.Remove(t.p.path(to)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return errors.New(message(err))
		}
	}
	err := os.Rename(t.p.path(from), t.p.path(to))
	if !errors.Is(err, syscall.EXDEV) {
		if err != nil {
			return errors.New(message(err))
		}
		return nil
	}
	quiet := *t
	quiet.verbose = false
	if !quiet.tree(from, to, info, 0) {
		return errors.New("it could not be copied completely, so the source was not removed")
	}
	t.p.removeAll(from, false)
	return nil
}
