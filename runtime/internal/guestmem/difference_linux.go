package guestmem

import "bytes"

// part is a range of bytes.
type part struct{ from, to int }

func sizeOf(parts []part) (sum uint64) {
	for _, p := range parts {
		sum += uint64(p.to - p.from)
	}
	return sum
}

// maxParts limits the parts of an image. Each part of each memory that uses the image is a mapping
// of the process, and the kernel allows 65,530 of them.
const maxParts = 48

// different returns the parts of b that differ from base, or nil if an image of b should not share
// pages with base: b is smaller, or half of it differs. Parts that are near each other are joined,
// so that there are at most maxParts.
func different(b, base []byte) []part {
	if len(b) < len(base) {
		return nil
	}
	var parts []part
	for at := 0; at < len(base); at += block {
		if bytes.Equal(b[at:at+block], base[at:at+block]) {
			continue
		}
		if last := len(parts) - 1; last >= 0 && parts[last].to == at {
			parts[last].to = at + block
		} else {
			parts = append(parts, part{at, at + block})
		}
	}
	if len(b) > len(base) {
		parts = append(parts, part{len(base), len(b)})
	}
	for gap := block; len(parts) > maxParts; gap *= 2 {
		parts = joined(parts, gap)
	}
	if sizeOf(parts) > uint64(len(b)/2) {
		return nil
	}
	if parts == nil {
		return []part{}
	}
	return parts
}

// joined joins parts with at most gap bytes between them.
func joined(parts []part, gap int) []part {
	all := parts[:1]
	for _, p := range parts[1:] {
		if last := len(all) - 1; p.from-all[last].to <= gap {
			all[last].to = p.to
		} else {
			all = append(all, p)
		}
	}
	return all
}
