//go:build wasip1

package main

import "unsafe"

//go:wasmimport wasi_snapshot_preview1 path_open
func pathOpen(fd int32, dirflags uint32, path unsafe.Pointer, n uint32, oflags uint32, rights, inheriting uint64, fdflags uint32, opened unsafe.Pointer) uint32

//go:wasmimport wasi_snapshot_preview1 path_create_directory
func pathCreateDirectory(fd int32, path unsafe.Pointer, n uint32) uint32

//go:wasmimport wasi_snapshot_preview1 path_remove_directory
func pathRemoveDirectory(fd int32, path unsafe.Pointer, n uint32) uint32

//go:wasmimport wasi_snapshot_preview1 path_unlink_file
func pathUnlinkFile(fd int32, path unsafe.Pointer, n uint32) uint32

//go:wasmimport wasi_snapshot_preview1 path_symlink
func pathSymlink(target unsafe.Pointer, n uint32, fd int32, path unsafe.Pointer, n2 uint32) uint32

//go:wasmimport wasi_snapshot_preview1 path_link
func pathLink(fd int32, flags uint32, path unsafe.Pointer, n uint32, fd2 int32, path2 unsafe.Pointer, n2 uint32) uint32

//go:wasmimport wasi_snapshot_preview1 path_rename
func pathRename(fd int32, path unsafe.Pointer, n uint32, fd2 int32, path2 unsafe.Pointer, n2 uint32) uint32

//go:wasmimport wasi_snapshot_preview1 path_filestat_get
func pathFilestatGet(fd int32, flags uint32, path unsafe.Pointer, n uint32, buf unsafe.Pointer) uint32

//go:wasmimport wasi_snapshot_preview1 path_filestat_set_times
func pathFilestatSetTimes(fd int32, flags uint32, path unsafe.Pointer, n uint32, atim, mtim uint64, fstflags uint32) uint32

//go:wasmimport wasi_snapshot_preview1 path_readlink
func pathReadlink(fd int32, path unsafe.Pointer, n uint32, buf unsafe.Pointer, size uint32, used unsafe.Pointer) uint32

//go:wasmimport wasi_snapshot_preview1 fd_read
func fdRead(fd int32, iovecs unsafe.Pointer, n uint32, used unsafe.Pointer) uint32

//go:wasmimport wasi_snapshot_preview1 fd_pread
func fdPread(fd int32, iovecs unsafe.Pointer, n uint32, offset uint64, used unsafe.Pointer) uint32

//go:wasmimport wasi_snapshot_preview1 fd_write
func fdWrite(fd int32, iovecs unsafe.Pointer, n uint32, used unsafe.Pointer) uint32

//go:wasmimport wasi_snapshot_preview1 fd_pwrite
func fdPwrite(fd int32, iovecs unsafe.Pointer, n uint32, offset uint64, used unsafe.Pointer) uint32

//go:wasmimport wasi_snapshot_preview1 fd_allocate
func fdAllocate(fd int32, offset, size uint64) uint32

//go:wasmimport wasi_snapshot_preview1 fd_filestat_set_size
func fdFilestatSetSize(fd int32, size uint64) uint32

//go:wasmimport wasi_snapshot_preview1 fd_filestat_set_times
func fdFilestatSetTimes(fd int32, atim, mtim uint64, fstflags uint32) uint32

//go:wasmimport wasi_snapshot_preview1 fd_filestat_get
func fdFilestatGet(fd int32, buf unsafe.Pointer) uint32

//go:wasmimport wasi_snapshot_preview1 fd_fdstat_set_flags
func fdFdstatSetFlags(fd int32, flags uint32) uint32

//go:wasmimport wasi_snapshot_preview1 fd_readdir
func fdReaddir(fd int32, buf unsafe.Pointer, n uint32, cookie uint64, used unsafe.Pointer) uint32

//go:wasmimport wasi_snapshot_preview1 fd_renumber
func fdRenumber(fd, to int32) uint32

//go:wasmimport wasi_snapshot_preview1 fd_seek
func fdSeek(fd int32, offset int64, whence uint32, at unsafe.Pointer) uint32

//go:wasmimport wasi_snapshot_preview1 fd_sync
func fdSync(fd int32) uint32

//go:wasmimport wasi_snapshot_preview1 fd_datasync
func fdDatasync(fd int32) uint32

//go:wasmimport wasi_snapshot_preview1 fd_close
func fdClose(fd int32) uint32
