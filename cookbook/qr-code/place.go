package main

import "math"

// grid is a QR code in the making. fixed marks modules that hold no data.
type grid struct{ dark, fixed [][]bool }

// place returns the modules of a code with the mask that is easiest to scan.
func place(number int, v version, data []byte) [][]bool {
	var best [][]bool
	lowest := math.MaxInt
	for mask := range 8 {
		size := 17 + 4*number
		g := grid{rows(size), rows(size)}
		g.patterns(number, v)
		g.format(mask)
		g.fill(data, mask)
		if p := penalty(g.dark); p < lowest {
			best, lowest = g.dark, p
		}
	}
	return best
}

func rows(size int) [][]bool {
	all := make([][]bool, size)
	for y := range all {
		all[y] = make([]bool, size)
	}
	return all
}

func (g grid) set(x, y int, dark bool) {
	if x >= 0 && y >= 0 && x < len(g.dark) && y < len(g.dark) {
		g.dark[y][x], g.fixed[y][x] = dark, true
	}
}

// square draws dark rings around a center, and light ones at the distances light and 4.
func (g grid) square(cx, cy, radius, light int) {
	for dy := -radius; dy <= radius; dy++ {
		for dx := -radius; dx <= radius; dx++ {
			d := max(dx, -dx, dy, -dy)
			g.set(cx+dx, cy+dy, d != light && d != 4)
		}
	}
}

// patterns draws what is the same in all codes of a version.
func (g grid) patterns(number int, v version) {
	last := len(g.dark) - 1
	for i := range g.dark {
		g.set(i, 6, i%2 == 0)
		g.set(6, i, i%2 == 0)
	}
	for _, corner := range [][2]int{{3, 3}, {last - 3, 3}, {3, last - 3}} {
		g.square(corner[0], corner[1], 4, 2)
	}
	for _, x := range v.marks {
		for _, y := range v.marks {
			corner := x == 6 && y == 6 || x == 6 && y == last-6 || x == last-6 && y == 6
			if !corner {
				g.square(x, y, 2, 1)
			}
		}
	}
	if number >= 7 {
		bits := number<<12 | remainder(number, 0x1F25, 12)
		for i := range 18 {
			g.set(last-10+i%3, i/3, bits>>i&1 == 1)
			g.set(i/3, last-10+i%3, bits>>i&1 == 1)
		}
	}
}

// format draws the level of correction, which is M, and the mask, twice.
func (g grid) format(mask int) {
	bits := (mask<<10 | remainder(mask, 0x537, 10)) ^ 0x5412
	last := len(g.dark) - 1
	for i := range 15 {
		bit := bits>>i&1 == 1
		switch { // right of and below the top left corner
		case i < 6:
			g.set(8, i, bit)
		case i < 8:
			g.set(8, i+1, bit)
		case i == 8:
			g.set(7, 8, bit)
		default:
			g.set(14-i, 8, bit)
		}
		if i < 8 { // next to the other two
			g.set(last-i, 8, bit)
		} else {
			g.set(8, last-14+i, bit)
		}
	}
	g.set(8, last-7, true)
}

// remainder is the error correction of a few bits.
func remainder(value, generator, degree int) int {
	value <<= degree
	for bit := 30; bit >= degree; bit-- {
		if value>>bit&1 == 1 {
			value ^= generator << (bit - degree)
		}
	}
	return value
}

// fill writes the data in columns of two, from the right, up and down, and inverts the modules that
// the mask selects.
func (g grid) fill(data []byte, mask int) {
	size, bit := len(g.dark), 0
	for right := size - 1; right > 0; right -= 2 {
		if right == 6 {
			right--
		}
		for i := range size {
			y := i
			if (right+1)&2 == 0 {
				y = size - 1 - i
			}
			for _, x := range []int{right, right - 1} {
				if g.fixed[y][x] {
					continue
				}
				dark := bit < 8*len(data) && data[bit/8]>>(7-bit%8)&1 == 1
				g.dark[y][x] = dark != masked(mask, x, y)
				bit++
			}
		}
	}
}

func masked(mask, x, y int) bool {
	switch mask {
	case 0:
		return (x+y)%2 == 0
	case 1:
		return y%2 == 0
	case 2:
		return x%3 == 0
	case 3:
		return (x+y)%3 == 0
	case 4:
		return (x/3+y/2)%2 == 0
	case 5:
		return x*y%2+x*y%3 == 0
	case 6:
		return (x*y%2+x*y%3)%2 == 0
	default:
		return ((x+y)%2+x*y%3)%2 == 0
	}
}

// penalty rates how hard a code is to scan: long runs, blocks of one color, and an uneven balance.
// A scanner reads a code with any mask, so the rating of false corners is left out.
func penalty(code [][]bool) int {
	sum, darks, size := 0, 0, len(code)
	for _, at := range []func(i, j int) bool{
		func(i, j int) bool { return code[i][j] },
		func(i, j int) bool { return code[j][i] },
	} {
		for i := range size {
			run := 0
			for j := range size {
				if j > 0 && at(i, j) == at(i, j-1) {
					run++
				} else {
					run = 1
				}
				switch {
				case run == 5:
					sum += 3
				case run > 5:
					sum++
				}
			}
		}
	}
	for y, row := range code {
		for x, dark := range row {
			if dark {
				darks++
			}
			if x > 0 && y > 0 && dark == row[x-1] && dark == code[y-1][x] && dark == code[y-1][x-1] {
				sum += 3
			}
		}
	}
	uneven := 2*darks - size*size
	return sum + max(uneven, -uneven)*10/(size*size)*10
}
