package guestmem

import (
	"fmt"
	"testing"
)

// BenchmarkRestore writes to some pages of a memory and restores it.
func BenchmarkRestore(b *testing.B) {
	for _, size := range []uint64{128 << 10, 1 << 20, 4 << 20} {
		for _, pages := range []int{1, 8, 64} {
			b.Run(fmt.Sprintf("%dKiB/%d_pages", size>>10, pages), func(b *testing.B) {
				s := NewSystem()
				defer s.Close()
				m := s.New(Options{Limit: 64 << 20})
				defer m.Free()
				mem := m.Reallocate(size)
				for i := range mem {
					mem[i] = byte(i)
				}
				image, err := m.Save(nil)
				if err != nil {
					b.Skip("this system saves no memory:", err)
				}
				defer image.Release()
				for b.Loop() {
					for p := range pages {
						mem[p*block*3%len(mem)]++
					}
					if err := m.Restore(nil); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
