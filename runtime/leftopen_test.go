package runtime

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/wasmtool/wasmtool/hostfuncs"
	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/internal/wasmtest"
)

// The descriptors of a guest with files of its own and one mount.
const (
	fdOwn = iota + 4
	fdMount
	fdFirst // of the first file that the guest opens
)

// leavesOpen is a command that leaves open what the first byte of its input selects. Before that,
// it writes what calls before it could have left: the state of 300 descriptors, the numbers of new
// ones, and the answer of the host's file.
func leavesOpen() []byte {
	const (
		atHost, atDot      = 72, 80 // names
		atHalf, atLine     = 88, 96 // iovecs
		atText             = 128
		line               = `{"function": "no"}` + "\n"
		atFound, tried     = 16 << 10, 300
		atNumbers          = atFound + 4*tried
		atAnswer, sizeFind = atNumbers + 64, 4*tried + 64 + 512
	)
	opens := func(n int, fd, name, size, oflags int32) (b []byte) {
		one := wasmtest.Code(wasmtest.Const(fd), wasmtest.Const(0), wasmtest.Const(name), wasmtest.Const(size), wasmtest.Const(oflags),
			[]byte{wasmtest.I64Const, 2, wasmtest.I64Const, 0}, wasmtest.Const(0), wasmtest.Const(atScratch), wasmtest.CallFunc(wasiPathOpen), []byte{wasmtest.Drop})
		return slices.Repeat(one, n)
	}
	own := func(n int) []byte { return opens(n, fdOwn, atName, 5, 0) }
	mounted := func(n int) []byte { return opens(n, fdMount, atName, 5, 0) }
	host := func(n int) []byte { return opens(n, fdOwn, atHost, 5, 0) }
	dir := opens(1, fdMount, atDot, 1, 2)

	var looks []byte
	for n := range int32(tried) {
		looks = append(looks, stores(atFound+4*n, wasmtest.Const(fdFirst+n), wasmtest.Const(atScratch), wasmtest.CallFunc(wasiFDFilestatGet))...)
	}
	for n, open := range [][]byte{host(1), host(1), host(1), host(1), own(1), mounted(1), dir} {
		looks = wasmtest.Code(looks, stores(atScratch, wasmtest.Const(0)), open, stores(atNumbers+4*int32(n), loads(atScratch)))
	}
	looks = wasmtest.Code(looks, lists(fdFirst+6), calls(wasiFDWrite, fdFirst, atLine, 1, atWritten),
		stores(atIovecOut, wasmtest.Const(atAnswer)), stores(atIovecOut+4, wasmtest.Const(512)), calls(wasiFDRead, fdFirst, atIovecOut, 1, atCount))
	for n := range int32(7) {
		looks = append(looks, calls(wasiFDClose, fdFirst+n)...)
	}

	return parts{
		memory: []uint32{1, 20},
		start: wasmtest.Code(
			reads(), looks, writes(1, atFound, wasmtest.Const(sizeFind)),
			onInput('o', own(1)),
			onInput('m', mounted(64)),
			onInput('d', mounted(3), dir, lists(fdFirst+3)),
			onInput('g', mounted(3), calls(wasiFDClose, fdFirst+1)),
			onInput('h', host(4), calls(wasiFDWrite, fdFirst, atHalf, 1, atWritten)),
			onInput('x', mounted(2), wasmtest.Const(3), wasmtest.CallFunc(wasiProcExit)),
			onInput('y', own(256)),
			onInput('z', own(257)),
			onInput('0', own(1), calls(wasiFDClose, 0), own(1)),
			onInput('5', own(1), calls(wasiFDClose, fdMount), own(1)),
			onInput('l', own(1), lists(fdMount)),
			onInput('u', own(1), []byte{wasmtest.Unreachable}),
		),
		change: func(m *wasmtest.Module) {
			iovec := func(at, size uint32) []byte {
				return binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(nil, at), size)
			}
			m.Data = append(m.Data, wasmtest.Data{Offset: atHost, Bytes: []byte(".host")}, wasmtest.Data{Offset: atDot, Bytes: []byte(".")},
				wasmtest.Data{Offset: atHalf, Bytes: iovec(atText, 5)}, wasmtest.Data{Offset: atLine, Bytes: iovec(atText, uint32(len(line)))},
				wasmtest.Data{Offset: atText, Bytes: []byte(line)})
		},
	}.bytes()
}

// Files that a call leaves open are closed, and the next call finds none of them. An instance whose
// descriptors differ in any other way is closed.
func TestFilesLeftOpenAreClosed(t *testing.T) {
	requireReuse(t)
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a.txt"), []byte("a"), 0o600); err != nil {
		t.Fatal(err)
	}
	guest := leavesOpen()
	r := newRuntime(t, Options{})
	for _, tt := range []struct {
		name, input string
		want        Reason
		reused      bool // whether the next call gets the instance
	}{
		{"nothing", "?", "", true},
		{"a file of its own", "o", "", true},
		{"as many files of a mount as allowed", "m", "", true},
		{"files, and a directory that was listed", "d", "", true},
		{"files with a gap between their numbers", "g", "", true},
		{"the host's file with half a request", "h", "", true},
		{"files at an exit", "x", Failed, true},
		{"as many files as are closed", "y", "", true},
		{"more files than are closed", "z", "", false},
		{"a file in the place of standard input", "0", "", false},
		{"a file in the place of a mount", "5", "", false},
		{"a file, and a mount that was listed", "l", "", false},
		{"a file at a trap", "u", Trap, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			// Each case has a module of its own, so that it begins without instances.
			m := withData(t, load(t, r, guest), map[string]string{"a.txt": "own", "case": tt.name}, DataOptions{})
			var bindings *hostfuncs.Bindings
			w := wants{
				grant:  capability.Grant{FS: []capability.GrantedFS{{FS: capability.FS{Mount: "data", Mode: capability.ModeRead}, Dir: dir}}},
				call:   Call{Input: []byte("?")},
				adjust: func(b *hostfuncs.Bindings) { bindings = b },
			}
			first := askOK(t, m, w)
			var numbers [7]uint32
			if _, err := binary.Decode(first.Output[4*300:], binary.LittleEndian, &numbers); err != nil || numbers != [7]uint32{6, 7, 8, 9, 10, 11, 12} ||
				!strings.Contains(string(first.Output), "there is no function of this name") {
				t.Fatalf("the first call opened %v, %v, and wrote %q", numbers, err, first.Output)
			}
			askOK(t, m, w)
			for range 3 {
				w.call.Input = []byte(tt.input)
				out, err := ask(t, m, w)
				if got := reasonOf(t, err); got != tt.want || !out.Reused {
					t.Fatalf("got %q (%v), reused: %v; want %q on a reused instance", got, err, out.Reused, tt.want)
				}
				if !bindings.Files.ClosesAtOnce() {
					t.Error("files of the call are open after its end")
				}
				w.call.Input = []byte("?")
				next := askOK(t, m, w)
				requireEqual(t, next, first, "the next call")
				if next.Reused != tt.reused {
					t.Errorf("the next call: reused: %v", next.Reused)
				}
			}
		})
	}
}
