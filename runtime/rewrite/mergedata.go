package rewrite

import (
	"cmp"
	"slices"
)

// maxDataGap is how many zero bytes between two data segments are written out to
// make one of them.
const maxDataGap = 256

// run is consecutive memory that data segments fill.
type run struct {
	at   uint32
	data []byte
}

// mergeData joins data segments that lie close together. An engine evaluates an
// expression for each segment of each new instance, and compilers write tens of
// thousands of them where they leave out zeros: that is most of the time that a
// fresh instance of a Go program takes.
//
// The result is nil where joining could be seen: when code names segments by their
// index, when the memory is not new and zero, when a place is not a constant, or
// when segments overlap, so that their order counts. A segment outside of memory
// still ends the instantiation.
func (m *module) mergeData(s *scan) []run {
	if s.blockers&(blockSegments|blockImportedMemory|blockNoMemory) != 0 || len(m.data) < 2 {
		return nil
	}
	runs := make([]run, 0, len(m.data))
	for _, d := range m.data {
		r, ok := m.constantRun(d)
		if !ok {
			return nil
		}
		runs = append(runs, r)
	}
	slices.SortStableFunc(runs, func(a, b run) int { return cmp.Compare(a.at, b.at) })
	var merged []run
	var last *run
	var zeros [maxDataGap]byte
	for _, r := range runs {
		if last != nil {
			end := uint64(last.at) + uint64(len(last.data))
			if uint64(r.at) < end {
				return nil
			}
			if gap := uint64(r.at) - end; gap <= maxDataGap {
				last.data = append(append(last.data, zeros[:gap]...), r.data...)
				continue
			}
		}
		// The data of the input must not be appended to.
		merged = append(merged, run{r.at, slices.Clip(r.data)})
		last = &merged[len(merged)-1]
	}
	return merged
}

// constantRun returns what an active segment fills, if its place is a constant.
func (m *module) constantRun(d dataDecl) (run, bool) {
	r := reader{b: m.wasm, pos: d.start, end: d.end}
	if r.u32() != 0 || opcode(r.byte()) != opI32Const {
		return run{}, false
	}
	at := uint32(r.signed(32))
	if opcode(r.byte()) != opEnd {
		return run{}, false
	}
	size := int(r.u32())
	return run{at, m.wasm[r.pos : r.pos+size]}, r.err == nil
}

// runs appends data segments in place of those of the input.
func (w *writer) runs(runs []run) {
	w.out = appendU32(w.out, uint32(len(runs)))
	for _, r := range runs {
		w.out = append(w.out, 0, byte(opI32Const))
		w.out = appendS64(w.out, int64(int32(r.at)))
		w.out = appendU32(append(w.out, byte(opEnd)), uint32(len(r.data)))
		w.out = append(w.out, r.data...)
	}
}
