package abi

import (
	"math/bits"

	"github.com/tetratelabs/wazero/sys"

	"github.com/wasmtool/wasmtool/runtime/internal/guestmem"
)

// kernel is the state that an Extism plug-in shares with the host for one call. The bookkeeping of
// blocks is in Go, so nothing that the plug-in writes to its memory is trusted. Only the call's
// goroutine uses it.
type kernel struct {
	call   *Call
	shared *sharedMemory
	data   []byte // bytes of the memory in shared
	// next is the offset of the first byte that was never allocated. Offset 0 means no block.
	next   uint64
	blocks map[uint64]block    // by offset
	free   map[uint64][]uint64 // offsets of freed blocks, by their rounded size (see roomFor)

	output, outputLen uint64
	vars              map[string][]byte
	varBytes          int
	status            uint32 // status of the last response
	headers           []byte // headers of the last response; nil before the first
}

// block is a piece of the kernel's memory; the field live is false once the block is freed.
type block struct {
	length, room uint64
	live         bool
}

// Limits on what the host stores for a plug-in outside the counted memory.
const (
	maxBlocks   = 1 << 17
	maxVarBytes = 1 << 20 // names and values together
	varOverhead = 64      // bytes counted in addition for each variable
	// SmallestBlock is the smallest number of bytes that a block needs. It is about the size of the
	// host's own data for the block, so that the memory limit also bounds that data.
	SmallestBlock = 64
)

// giveKernel gives the call of a plug-in a kernel that contains its input, or stops the call if the
// input does not fit. Other calls get no kernel.
func (g *Guest) giveKernel(c *Call) {
	if g.shared == nil {
		return
	}
	k := &kernel{
		call: c, shared: g.shared, data: g.shared.mem.Bytes(), next: SmallestBlock,
		blocks: make(map[uint64]block), free: make(map[uint64][]uint64), vars: make(map[string][]byte),
	}
	c.kernel = k
	at, err := k.reserve(uint64(len(c.Input)))
	if err != nil {
		c.stop(err)
		return
	}
	copy(k.data[at:], c.Input)
	g.shared.setInput(at, uint64(len(c.Input)))
}

// end ends the call from within a host function.
func (k *kernel) end(cause error) {
	k.call.stop(cause)
	panic(sys.NewExitError(stopped))
}

// alloc allocates a block of n bytes and returns its offset, which is 0 for n = 0. It ends the call
// on failure.
func (k *kernel) alloc(n uint64) uint64 {
	at, err := k.reserve(n)
	if err != nil {
		k.end(err)
	}
	return at
}

// reserve does what alloc does, but returns an error instead of ending the call.
func (k *kernel) reserve(n uint64) (at uint64, err error) {
	if n == 0 {
		return 0, nil
	}
	if n > k.call.Limits.Memory {
		return 0, ErrKernelFull
	}
	room := roomFor(n)
	if list := k.free[room]; len(list) > 0 {
		at = list[len(list)-1]
		k.free[room] = list[:len(list)-1]
		k.blocks[at] = block{length: n, room: room, live: true}
		return at, nil
	}
	if len(k.blocks) >= maxBlocks {
		return 0, ErrKernelFull
	}
	at = k.next
	if err := k.grow(at + room); err != nil {
		return 0, err
	}
	k.take(at, n)
	return at, nil
}

// take creates a block of n bytes at the given offset. The memory from that offset on must never
// have been allocated before.
func (k *kernel) take(at, n uint64) {
	room := roomFor(n)
	k.next = at + room
	k.blocks[at] = block{length: n, room: room, live: true}
}

// roomFor returns how many bytes of memory a block of n bytes takes. The result is rounded up to
// one of a few sizes, so that freed blocks are reused.
func roomFor(n uint64) uint64 {
	if n <= SmallestBlock {
		return SmallestBlock
	}
	step := max(SmallestBlock, uint64(1)<<bits.Len64(n-1)/8)
	return (n + step - 1) / step * step
}

// grow extends the memory to at least size bytes.
func (k *kernel) grow(size uint64) error {
	if size <= uint64(len(k.data)) {
		return nil
	}
	if size > k.call.Limits.Memory {
		return ErrKernelFull
	}
	ok := k.shared.grow(uint32((size - uint64(len(k.data)) + guestmem.PageSize - 1) / guestmem.PageSize))
	k.data = k.shared.mem.Bytes()
	switch {
	case ok:
		return nil
	case k.call.Memory.SharedFull:
		return ErrAllMemoryFull
	}
	return ErrKernelFull
}

// release frees a block. It ignores an offset that is not a live block.
func (k *kernel) release(at uint64) {
	if b := k.blocks[at]; b.live {
		b.live = false
		k.blocks[at] = b
		k.free[b.room] = append(k.free[b.room], at)
	}
}

// length returns the length of the block at the offset, or 0 if there is none.
func (k *kernel) length(at uint64) uint64 {
	if b := k.blocks[at]; b.live {
		return b.length
	}
	return 0
}

// span returns n bytes of the memory. It ends the call if the range is outside the memory.
func (k *kernel) span(at, n uint64) []byte {
	if size := uint64(len(k.data)); n > size || at > size-n {
		k.end(ErrBadRange)
	}
	return k.data[at : at+n]
}

// block returns the bytes of the block at the offset.
func (k *kernel) block(at uint64) []byte { return k.span(at, k.length(at)) }

// put stores data in a new block.
func (k *kernel) put(data []byte) uint64 {
	at := k.alloc(uint64(len(data)))
	copy(k.span(at, uint64(len(data))), data)
	return at
}

// receive calls the function read until read reports the end, and stores the data in a new block.
func (k *kernel) receive(read func(p []byte) (int, error)) (at uint64, err error) {
	const piece = 32 << 10
	if len(k.blocks) >= maxBlocks {
		k.end(ErrKernelFull)
	}
	at = k.next
	var length uint64
	for {
		if err := k.grow(at + roomFor(length+piece)); err != nil {
			k.end(err)
		}
		n, err := read(k.span(at+length, piece))
		if err != nil {
			return 0, err
		}
		if n == 0 {
			break
		}
		length += uint64(n)
	}
	if length == 0 {
		return 0, nil
	}
	k.take(at, length)
	return at, nil
}

// deliver writes the plug-in's output to the output of the call.
func (k *kernel) deliver() {
	if k.call.Stopped() == nil {
		// setOutput checked the range, and the memory does not shrink.
		_, _ = k.call.stdout.Write(k.data[k.output : k.output+k.outputLen])
	}
}

// setOutput sets the range of the output, whose bytes are read when the call ends.
func (k *kernel) setOutput(at, n uint64) {
	if n > uint64(k.call.Limits.Output) {
		k.end(ErrOutputFull)
	}
	k.span(at, n)
	k.output, k.outputLen = at, n
}

// setVar stores a copy of a value for the rest of the call; nil removes the variable.
func (k *kernel) setVar(name string, value []byte) {
	if old, ok := k.vars[name]; ok {
		k.varBytes -= varOverhead + len(name) + len(old)
		delete(k.vars, name)
	}
	if value == nil {
		return
	}
	if k.varBytes += varOverhead + len(name) + len(value); k.varBytes > maxVarBytes {
		k.end(ErrVarsFull)
	}
	k.vars[name] = append([]byte{}, value...)
}
