package runtimes

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"math"
	"path"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/wasmtool/wasmtool/internal/lazyregexp"
	"github.com/wasmtool/wasmtool/internal/stricttoml"
)

// IsTypeScript reports whether a file of a script must become JavaScript before the script runs.
// Declarations are for editors only, and what is in the directories vendor and data stays as it is.
func IsTypeScript(name string) bool {
	top, _, _ := strings.Cut(name, "/")
	return path.Ext(name) == ".ts" && !strings.HasSuffix(name, ".d.ts") && top != "vendor" && top != "data"
}

// sourceError matches what esbuild prints of a mistake in its standard input.
var sourceError = lazyregexp.New(`\[ERROR\] (.+)\n\n +<stdin>:(\d+):(\d+):\n`)

// SourceErrors returns the mistakes in a file of TypeScript that esbuild wrote to its standard
// error, or nil if it says something else.
func SourceErrors(file string, source, stderr []byte) (all stricttoml.Errors) {
	lines := bytes.Split(source, []byte("\n"))
	for _, found := range sourceError.Regexp().FindAllStringSubmatch(string(stderr), -1) {
		line, _ := strconv.Atoi(found[2]) // 0 if it is out of range
		column, _ := strconv.Atoi(found[3])
		if line > 0 && line <= len(lines) && column <= len(lines[line-1]) {
			column = utf8.RuneCount(lines[line-1][:column])
		}
		all = append(all, &stricttoml.Error{File: file, Line: line, Column: column + 1, Message: found[1]})
	}
	return all
}

// mapMark is before the source map in the output of esbuild.
const mapMark = "//# sourceMappingURL=data:application/json;base64,"

// JavaScript returns the script in the output of esbuild, which is without white space and has a
// source map at its end. Each token is at its line and column in the source, as far as white space
// can move it there. So errors of a call name the right places, and no call needs the map.
func JavaScript(source, output []byte) ([]byte, error) {
	at := bytes.LastIndex(output, []byte(mapMark))
	if at < 0 {
		return nil, errors.New("the output of esbuild has no source map")
	}
	var about struct{ Mappings string }
	text, err := base64.StdEncoding.DecodeString(strings.TrimSpace(string(output[at+len(mapMark):])))
	if err != nil || json.Unmarshal(text, &about) != nil {
		return nil, errors.New("the source map of esbuild is damaged")
	}
	return align(output[:at], mappings(about.Mappings), len(source)), nil
}

// position is a line and a column, which counts UTF-16 units. Both start at 0.
type position struct{ line, column int }

// after returns the position after a character at p, as source maps count: see ECMA-426.
func (p position) after(r rune, next byte) position {
	switch {
	case r == '\r' && next == '\n':
		return p
	case r == '\n' || r == '\r' || r == '\u2028' || r == '\u2029':
		return position{p.line + 1, 0}
	case r > 0xffff:
		p.column++
	}
	p.column++
	return p
}

// mapping says which position of the source a position of the output comes from.
type mapping struct{ output, source position }

// mappings decodes the mappings of a source map with one source, up to the first that is invalid.
func mappings(text string) (all []mapping) {
	const digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
	var now mapping
	for line := range strings.SplitSeq(text, ";") {
		for segment := range strings.SplitSeq(line, ",") {
			var fields [5]int
			field, shift := 0, 0
			for _, c := range []byte(segment) {
				digit := strings.IndexByte(digits, c)
				if digit < 0 || field == len(fields) || shift > 25 {
					return all
				}
				fields[field] |= digit & 31 << shift
				shift += 5
				if digit < 32 {
					if fields[field]&1 != 0 {
						fields[field] = -fields[field]
					}
					fields[field] /= 2
					field, shift = field+1, 0
				}
			}
			now.output.column += fields[0]
			if field < 4 { // no place in the source
				continue
			}
			now.source.line += fields[2]
			now.source.column += fields[3]
			all = append(all, now)
		}
		now.output = position{now.output.line + 1, 0}
	}
	return all
}

// align inserts spaces and line feeds at mapped positions, where tokens begin, so that they move to
// their positions in the source. It inserts at most room bytes.
func align(output []byte, all []mapping, room int) []byte {
	// A token does not move to a line behind the line of a later one, which could not go back.
	last := make([]int, len(all))
	line := math.MaxInt
	for i := len(all) - 1; i >= 0; i-- {
		line = min(line, all[i].source.line)
		last[i] = line
	}
	var out bytes.Buffer
	var from, to position
	next := 0
	for i := 0; i < len(output); {
		for ; next < len(all) && from == all[next].output; next++ {
			if from.column == 0 && from.line > 0 {
				continue // lines of the output begin inside of templates, where white space counts
			}
			want := all[next].source
			if feeds := want.line - to.line; feeds > 0 && want.line == last[next] && feeds <= room && mayBreak(output, i) {
				room -= feeds
				out.WriteString(strings.Repeat("\n", feeds))
				to = position{want.line, 0}
			}
			if spaces := want.column - to.column; spaces > 0 && want.line == to.line && spaces <= room {
				room -= spaces
				out.WriteString(strings.Repeat(" ", spaces))
				to.column = want.column
			}
		}
		r, size := utf8.DecodeRune(output[i:])
		following := byte(0)
		if i+size < len(output) {
			following = output[i+size]
		}
		from, to = from.after(r, following), to.after(r, following)
		out.Write(output[i : i+size])
		i += size
	}
	return out.Bytes()
}

// mayBreak reports whether a line may end before the token at i. After words such as return and
// async, and before ++, -- and =>, the end of a line has a meaning.
func mayBreak(output []byte, i int) bool {
	return i == 0 || strings.IndexByte(";{}()[],.:?=&|*!<>", output[i-1]) >= 0 && strings.IndexByte("+-=", output[i]) < 0
}
