package runtime

import (
	"encoding/binary"
	"math/bits"

	"github.com/tetratelabs/wazero/sys"

	"github.com/wasmtool/wasmtool/runtime/internal/guestmem"
)

// kernel is the memory that an Extism plug-in shares with the host for one call. What
// belongs to it lies in Go: nothing that the plug-in writes there is believed. It is used
// by the call's goroutine alone.
type kernel struct {
	s     *callState
	guest *guestmem.Memory // shares the limit with it
	mem   *guestmem.Memory
	data  []byte // of mem
	// next is where memory begins that was never given out; 0 stands for no block.
	next   uint64
	blocks map[uint64]block    // by offset
	free   map[uint64][]uint64 // offsets of blocks given back, by room

	input, inputLen   uint64
	output, outputLen uint64
	vars              map[string][]byte
	varBytes          int
	status            uint32 // of the last response
	headers           []byte // of the last response, nil before there is one
}

// block is a piece of the kernel's memory; live says that it was not given back.
type block struct {
	length, room uint64
	live         bool
}

// Bounds of what the host keeps for a plug-in outside of the memory that is counted.
const (
	maxBlocks   = 1 << 17
	maxVarBytes = 1 << 20 // names and values together
	// smallestBlock is also what keeps a load of eight bytes at the end of a block
	// inside of it.
	smallestBlock = 16
)

// newKernel makes the memory, with the input in it.
func (i *instance) newKernel(s *callState) *kernel {
	k := &kernel{
		s: s, guest: i.memory, next: smallestBlock,
		blocks: make(map[uint64]block), free: make(map[uint64][]uint64), vars: make(map[string][]byte),
	}
	k.mem = s.r.memory.New(guestmem.Options{Limit: s.limits.Memory, Account: i.c.account})
	return k
}

// takeInput stores the call's input.
func (k *kernel) takeInput(input []byte) error {
	at, err := k.reserve(uint64(len(input)))
	if err != nil {
		k.s.stop(err)
		return err
	}
	copy(k.data[at:], input)
	k.input, k.inputLen = at, uint64(len(input))
	return nil
}

// size is how many bytes it has; nil has none.
func (k *kernel) size() uint64 {
	if k == nil {
		return 0
	}
	return k.mem.Size()
}

// end ends the call from within a host function.
func (k *kernel) end(cause error) {
	k.s.stop(cause)
	panic(sys.NewExitError(stopped))
}

// alloc returns the offset of a block of n bytes, 0 for none, or ends the call.
func (k *kernel) alloc(n uint64) uint64 {
	at, err := k.reserve(n)
	if err != nil {
		k.end(err)
	}
	return at
}

// reserve is alloc for the host.
func (k *kernel) reserve(n uint64) (at uint64, err error) {
	if n == 0 {
		return 0, nil
	}
	if n > k.s.limits.Memory {
		return 0, errKernelFull
	}
	room := roomFor(n)
	if list := k.free[room]; len(list) > 0 {
		at = list[len(list)-1]
		k.free[room] = list[:len(list)-1]
		k.blocks[at] = block{length: n, room: room, live: true}
		return at, nil
	}
	if len(k.blocks) >= maxBlocks {
		return 0, errKernelFull
	}
	at = k.next
	if err := k.grow(at + room); err != nil {
		return 0, err
	}
	k.next += room
	k.blocks[at] = block{length: n, room: room, live: true}
	return at, nil
}

// roomFor is what a block of n bytes takes: few different sizes, so that those given
// back fit again.
func roomFor(n uint64) uint64 {
	if n <= smallestBlock {
		return smallestBlock
	}
	step := max(smallestBlock, uint64(1)<<bits.Len64(n-1)/8)
	return (n + step - 1) / step * step
}

// grow makes the memory at least so large.
func (k *kernel) grow(size uint64) error {
	if size <= uint64(len(k.data)) {
		return nil
	}
	size = (size + guestmem.PageSize - 1) / guestmem.PageSize * guestmem.PageSize
	if size+k.guest.Size() > k.s.limits.Memory {
		return errKernelFull
	}
	data := k.mem.Reallocate(size)
	if data == nil {
		return errAllMemoryFull
	}
	k.data = data
	return nil
}

// release gives a block back; what is none, or no longer one, is nothing.
func (k *kernel) release(at uint64) {
	if b := k.blocks[at]; b.live {
		b.live = false
		k.blocks[at] = b
		k.free[b.room] = append(k.free[b.room], at)
	}
}

// length is that of the block that begins at the offset, 0 when there is none.
func (k *kernel) length(at uint64) uint64 {
	if b := k.blocks[at]; b.live {
		return b.length
	}
	return 0
}

// span returns n bytes of the memory, or ends the call.
func (k *kernel) span(at, n uint64) []byte {
	if size := uint64(len(k.data)); n > size || at > size-n {
		k.end(errBadRange)
	}
	return k.data[at : at+n]
}

// block returns the bytes of the block that begins at the offset.
func (k *kernel) block(at uint64) []byte { return k.span(at, k.length(at)) }

// put stores bytes in a block of their own.
func (k *kernel) put(data []byte) uint64 {
	at := k.alloc(uint64(len(data)))
	copy(k.span(at, uint64(len(data))), data)
	return at
}

func (k *kernel) store64(at, v uint64) { binary.LittleEndian.PutUint64(k.span(at, 8), v) }

func (k *kernel) load64(at uint64) uint64 { return binary.LittleEndian.Uint64(k.span(at, 8)) }

// inputAt is the offset of a place in the input.
func (k *kernel) inputAt(offset uint64) uint64 {
	if offset >= k.inputLen {
		k.end(errBadRange)
	}
	return k.input + offset
}

// setOutput says what the output is: the bytes that lie there when the call ends.
func (k *kernel) setOutput(at, n uint64) {
	if n > uint64(k.s.limits.Output) {
		k.end(errOutputFull)
	}
	k.span(at, n)
	k.output, k.outputLen = at, n
}

// setVar keeps a copy of a value for the rest of the call; nil removes it.
func (k *kernel) setVar(name string, value []byte) {
	if old, ok := k.vars[name]; ok {
		k.varBytes -= len(name) + len(old)
		delete(k.vars, name)
	}
	if value == nil {
		return
	}
	if k.varBytes += len(name) + len(value); k.varBytes > maxVarBytes || len(k.vars) >= maxVars {
		k.end(errVarsFull)
	}
	k.vars[name] = append([]byte{}, value...)
}

// maxVars bounds the variables, which take more than their bytes.
const maxVars = 10_000
