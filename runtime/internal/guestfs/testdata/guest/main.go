//go:build wasip1

// Command guest attacks its file system. It reads a JSON list of operations from stdin and writes
// their results. It calls WASI directly, because a library could refuse, repair or drop an attack.
package main

import (
	"encoding/binary"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"
	"unsafe"
)

type op struct {
	Op                      string
	FD, FD2                 int32 // -1 means the descriptor of the last path_open
	Path, Path2             []byte
	Flags, OFlags, FDFlags  uint32
	Rights                  uint64
	Offset, Size            uint64
	Whence, Bytes, Repeated uint32
	Data                    []byte // data to write; if empty, Bytes zeros are written
}

type result struct {
	Op    string
	Errno string // "" for success
	FD    int32
	N     uint64
	Data  []byte
}

func main() {
	var ops []op
	if err := json.NewDecoder(os.Stdin).Decode(&ops); err != nil {
		panic(err)
	}
	var results []result
	last := int32(-1)
	for _, o := range ops {
		if o.FD == -1 {
			o.FD = last
		}
		if o.FD2 == -1 {
			o.FD2 = last
		}
		r := result{Op: o.Op}
		if errno := do(o, &r); errno != 0 {
			r.Errno = name(errno)
		} else if o.Op == "path_open" {
			last = r.FD
		}
		results = append(results, r)
	}
	if err := json.NewEncoder(os.Stdout).Encode(results); err != nil {
		panic(err)
	}
}

// do performs one operation, and repeats it up to o.Repeated times while it succeeds.
func do(o op, r *result) syscall.Errno {
	for ; ; o.Repeated-- {
		if errno := once(o, r); errno != 0 || o.Repeated == 0 {
			return errno
		}
	}
}

func once(o op, r *result) syscall.Errno {
	path, path2 := bytes(o.Path), bytes(o.Path2)
	n, n2 := uint32(len(o.Path)), uint32(len(o.Path2))
	if len(o.Data) > 0 {
		o.Bytes = uint32(len(o.Data))
	}
	buf := make([]byte, max(o.Bytes, 1))
	copy(buf, o.Data)
	iovec := make([]byte, 8)
	binary.LittleEndian.PutUint32(iovec, uint32(uintptr(unsafe.Pointer(&buf[0]))))
	binary.LittleEndian.PutUint32(iovec[4:], o.Bytes)
	var used uint32
	var at uint64
	var errno uint32
	switch o.Op {
	case "path_open":
		errno = pathOpen(o.FD, o.Flags, path, n, o.OFlags, o.Rights, o.Rights, o.FDFlags, unsafe.Pointer(&r.FD))
	case "path_create_directory":
		errno = pathCreateDirectory(o.FD, path, n)
	case "path_remove_directory":
		errno = pathRemoveDirectory(o.FD, path, n)
	case "path_unlink_file":
		errno = pathUnlinkFile(o.FD, path, n)
	case "path_symlink":
		errno = pathSymlink(path, n, o.FD, path2, n2)
	case "path_link":
		errno = pathLink(o.FD, o.Flags, path, n, o.FD2, path2, n2)
	case "path_rename":
		errno = pathRename(o.FD, path, n, o.FD2, path2, n2)
	case "path_filestat_get":
		buf = make([]byte, 64)
		errno = pathFilestatGet(o.FD, o.Flags, path, n, unsafe.Pointer(&buf[0]))
		r.Data = buf
	case "path_filestat_set_times":
		errno = pathFilestatSetTimes(o.FD, o.Flags, path, n, o.Offset, o.Size, o.FDFlags)
	case "path_readlink":
		errno = pathReadlink(o.FD, path, n, unsafe.Pointer(&buf[0]), o.Bytes, unsafe.Pointer(&used))
		r.Data = buf[:used]
	case "fd_read":
		errno = fdRead(o.FD, unsafe.Pointer(&iovec[0]), 1, unsafe.Pointer(&used))
		r.Data = buf[:used]
	case "fd_pread":
		errno = fdPread(o.FD, unsafe.Pointer(&iovec[0]), 1, o.Offset, unsafe.Pointer(&used))
		r.Data = buf[:used]
	case "fd_write":
		errno = fdWrite(o.FD, unsafe.Pointer(&iovec[0]), 1, unsafe.Pointer(&used))
	case "fd_pwrite":
		errno = fdPwrite(o.FD, unsafe.Pointer(&iovec[0]), 1, o.Offset, unsafe.Pointer(&used))
	case "fd_allocate":
		errno = fdAllocate(o.FD, o.Offset, o.Size)
	case "fd_filestat_set_size":
		errno = fdFilestatSetSize(o.FD, o.Size)
	case "fd_filestat_set_times":
		errno = fdFilestatSetTimes(o.FD, o.Offset, o.Size, o.FDFlags)
	case "fd_filestat_get":
		buf = make([]byte, 64)
		errno = fdFilestatGet(o.FD, unsafe.Pointer(&buf[0]))
		r.Data = buf
	case "fd_fdstat_set_flags":
		errno = fdFdstatSetFlags(o.FD, o.FDFlags)
	case "fd_readdir":
		errno = fdReaddir(o.FD, unsafe.Pointer(&buf[0]), o.Bytes, o.Offset, unsafe.Pointer(&used))
		r.Data = buf[:used]
	case "fd_readdir_lie": // passes a buffer length larger than the memory
		errno = fdReaddir(o.FD, unsafe.Pointer(&buf[0]), ^uint32(0), o.Offset, unsafe.Pointer(&used))
	case "fd_renumber":
		errno = fdRenumber(o.FD, o.FD2)
	case "fd_seek":
		errno = fdSeek(o.FD, int64(o.Offset), o.Whence, unsafe.Pointer(&at))
		r.N = at
	case "fd_sync":
		errno = fdSync(o.FD)
	case "fd_datasync":
		errno = fdDatasync(o.FD)
	case "fd_close":
		errno = fdClose(o.FD)
	case "read_file": // the remaining operations use the Go library, as programs do
		data, err := os.ReadFile(string(o.Path))
		r.Data = data
		return errnoOf(err)
	case "write_file":
		return errnoOf(os.WriteFile(string(o.Path), []byte("written"), 0o644))
	case "mkdir_all":
		return errnoOf(os.MkdirAll(string(o.Path), 0o755))
	case "remove_all":
		return errnoOf(os.RemoveAll(string(o.Path)))
	case "rename":
		return errnoOf(os.Rename(string(o.Path), string(o.Path2)))
	case "chtimes":
		return errnoOf(os.Chtimes(string(o.Path), time.Unix(1, 0), time.Unix(2, 0)))
	case "walk":
		var names []string
		err := filepath.WalkDir(string(o.Path), func(path string, _ fs.DirEntry, err error) error {
			names = append(names, path)
			return err
		})
		r.Data = []byte(strings.Join(names, "\n"))
		return errnoOf(err)
	default:
		panic("unknown operation: " + o.Op)
	}
	r.N = max(r.N, uint64(used))
	return syscall.Errno(errno)
}

func bytes(b []byte) unsafe.Pointer { return unsafe.Pointer(unsafe.SliceData(append(b, 0))) }

func errnoOf(err error) syscall.Errno {
	if err == nil {
		return 0
	}
	for {
		wrapped, ok := err.(interface{ Unwrap() error })
		if !ok {
			break
		}
		err = wrapped.Unwrap()
	}
	if errno, ok := err.(syscall.Errno); ok {
		return errno
	}
	panic(err)
}

// name returns the name of an error that a file system may return.
func name(errno syscall.Errno) string {
	for e, name := range map[syscall.Errno]string{
		syscall.EACCES: "EACCES", syscall.EAGAIN: "EAGAIN", syscall.EBADF: "EBADF", syscall.EEXIST: "EEXIST",
		syscall.EFAULT: "EFAULT", syscall.EINVAL: "EINVAL", syscall.EIO: "EIO", syscall.EISDIR: "EISDIR",
		syscall.ELOOP: "ELOOP", syscall.ENAMETOOLONG: "ENAMETOOLONG", syscall.ENOENT: "ENOENT", syscall.ENOSYS: "ENOSYS",
		syscall.ENOTDIR: "ENOTDIR", syscall.ERANGE: "ERANGE", syscall.ENOTSUP: "ENOTSUP", syscall.EPERM: "EPERM", syscall.EROFS: "EROFS",
		syscall.ENOTEMPTY: "ENOTEMPTY",
	} {
		if e == errno {
			return name
		}
	}
	return errno.Error()
}
