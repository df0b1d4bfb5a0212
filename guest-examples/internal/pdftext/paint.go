package pdftext

import (
	"math"

	"github.com/ledongthuc/pdf"
)

// matrix maps (x, y) to (ax+cy+e, bx+dy+f).
type matrix struct{ a, b, c, d, e, f float64 }

var identity = matrix{a: 1, d: 1}

// times returns the matrix that applies m and then n.
func (m matrix) times(n matrix) matrix {
	return matrix{
		m.a*n.a + m.b*n.c, m.a*n.b + m.b*n.d,
		m.c*n.a + m.d*n.c, m.c*n.b + m.d*n.d,
		m.e*n.a + m.f*n.c + n.e, m.e*n.b + m.f*n.d + n.f,
	}
}

func move(x, y float64) matrix {
	return matrix{1, 0, 0, 1, x, y}
}

// state is the graphics state that the operators q and Q save and restore.
type state struct {
	ctm                    matrix
	font                   *font
	size, stretch, rise    float64
	letterSpace, wordSpace float64
	leading                float64
}

// painter interprets the text in the content of a page.
type painter struct {
	*extractor
	lines lines
	state
	saved      []state
	text, line matrix // matrices of the next text and of the start of its line
}

// run interprets the content of a page or form.
func (p *painter) run(content []byte, resources pdf.Value, depth int) {
	l := lexer{data: content}
	fonts := map[string]*font{} // by name, because each lookup reads the file
	for p.operators > 0 && p.extractor.text.Len()+p.lines.size() < MaxText {
		operands, op := l.instruction()
		if op.kind == end {
			return
		}
		p.operators--
		switch op.text {
		case "ID":
			l.image()
		case "Do":
			p.form(resources.Key("XObject").Key(nameOf(operands)), resources, depth)
		case "Tf":
			name := nameOf(operands)
			if _, ok := fonts[name]; !ok {
				fonts[name] = p.fontOf(resources.Key("Font").Key(name))
			}
			p.font = fonts[name]
			p.size = last(operands, 1)[0]
		default:
			p.operate(op.text, operands)
		}
	}
}

// form interprets a form, which is a page within a page.
func (p *painter) form(form, resources pdf.Value, depth int) {
	if form.Key("Subtype").Name() != "Form" || depth == maxDepth {
		return
	}
	if own := form.Key("Resources"); own.Kind() == pdf.Dict {
		resources = own
	}
	before, saved := p.state, p.saved
	p.saved = nil
	if m := form.Key("Matrix"); m.Len() == 6 {
		at := func(i int) float64 { return m.Index(i).Float64() }
		p.ctm = matrix{at(0), at(1), at(2), at(3), at(4), at(5)}.times(p.ctm)
	}
	p.run(p.stream(form), resources, depth+1)
	p.state, p.saved = before, saved
}

// operate executes an operator that needs only its operands.
func (p *painter) operate(op string, operands []token) {
	switch op {
	case "q":
		if len(p.saved) < maxSaved {
			p.saved = append(p.saved, p.state)
		}
	case "Q":
		if n := len(p.saved); n > 0 {
			p.state, p.saved = p.saved[n-1], p.saved[:n-1]
		}
	case "cm":
		p.ctm = matrixOf(operands).times(p.ctm)
	case "BT":
		p.text, p.line = identity, identity
	case "Tm":
		p.line = matrixOf(operands)
		p.text = p.line
	case "Td":
		p.next(last(operands, 2))
	case "TD":
		to := last(operands, 2)
		p.leading = -to[1]
		p.next(to)
	case "T*":
		p.next([]float64{0, -p.leading})
	case "TL":
		p.leading = last(operands, 1)[0]
	case "Tc":
		p.letterSpace = last(operands, 1)[0]
	case "Tw":
		p.wordSpace = last(operands, 1)[0]
	case "Tz":
		p.stretch = last(operands, 1)[0] / 100
	case "Ts":
		p.rise = last(operands, 1)[0]
	case "'":
		p.next([]float64{0, -p.leading})
		p.show(operands)
	case "\"":
		if len(operands) == 3 {
			p.wordSpace, p.letterSpace = operands[0].number, operands[1].number
		}
		p.next([]float64{0, -p.leading})
		p.show(operands)
	case "Tj":
		p.show(operands)
	case "TJ":
		if len(operands) > 0 {
			p.show(operands[len(operands)-1].list)
		}
	}
}

// maxSaved limits the saved states; real content saves only a few.
const maxSaved = 1000

// next moves to the start of another line.
func (p *painter) next(to []float64) {
	p.line = move(to[0], to[1]).times(p.line)
	p.text = p.line
}

// show draws the strings among items. A number moves the text that follows it.
func (p *painter) show(items []token) {
	for _, item := range items {
		switch item.kind {
		case number:
			p.text = move(-item.number*perMille*p.size*p.stretch, 0).times(p.text)
		case text:
			p.draw(item.text)
		}
	}
}

// draw draws one text.
func (p *painter) draw(s string) {
	if p.font == nil {
		p.font = p.fontOf(pdf.Value{})
	}
	on := matrix{1, 0, 0, 1, 0, p.rise}.times(p.text).times(p.ctm)
	var letters []byte
	for code, size := range p.font.codes(s) {
		g := p.font.glyph(code)
		letters = append(letters, g.text...)
		p.lettered++
		if !g.known {
			p.unknown++
		}
		advance := g.width*p.size + p.letterSpace
		if size == 1 && code == ' ' {
			advance += p.wordSpace
		}
		p.text = move(advance*p.stretch, 0).times(p.text)
	}
	after := matrix{1, 0, 0, 1, 0, p.rise}.times(p.text).times(p.ctm)
	p.lines.add(fragment{
		text:  string(letters),
		start: point{on.e, on.f},
		end:   point{after.e, after.f},
		along: unit(on.a*p.stretch*p.size, on.b*p.stretch*p.size),
		size:  abs(p.size) * math.Hypot(on.c, on.d),
	})
}

// last returns the last n operands as numbers, with 0 for missing ones.
func last(operands []token, n int) []float64 {
	numbers := make([]float64, n)
	from := max(len(operands)-n, 0)
	for i, t := range operands[from:] {
		numbers[i] = t.number
	}
	return numbers
}

func matrixOf(operands []token) matrix {
	n := last(operands, 6)
	return matrix{n[0], n[1], n[2], n[3], n[4], n[5]}
}

// nameOf returns the first operand, which is a name.
func nameOf(operands []token) string {
	if len(operands) == 0 {
		return ""
	}
	return operands[0].text
}
