package engine

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// token is what a call or a tenant leaves behind. Finding it elsewhere means that it leaked.
type token uint64

// tokenStart is the beginning of a token as guests write it. It is also in the source of the
// guests.
const tokenStart = "CNRY-"

func (t token) String() string { return tokenStart + t.digits() }

func (t token) digits() string {
	return hex.EncodeToString(binary.BigEndian.AppendUint64(nil, uint64(t)))
}

// anyToken matches a token, and the line of a report about a token in memory.
var anyToken = regexp.MustCompile(`(?:CNRY-|found [0-9a-f]+ )([0-9a-f]{16})`)

// foreign returns the tokens in a text, except the tokens in own.
func foreign(text string, own ...token) []string {
	var found []string
	for _, m := range anyToken.FindAllStringSubmatch(text, -1) {
		if !slices.ContainsFunc(own, func(t token) bool { return t.digits() == m[1] }) {
			found = append(found, m[1])
		}
	}
	slices.Sort(found)
	return slices.Compact(found)
}

// lastKind is the kind of the last line of a report.
const lastKind = "grow"

// lines returns the lines of a report by kind, which is their first word.
func lines(report string) map[string][]string {
	kinds := make(map[string][]string)
	for line := range strings.Lines(report) {
		line = strings.TrimSuffix(line, "\n")
		kind, _, _ := strings.Cut(line, " ")
		kinds[kind] = append(kinds[kind], line)
	}
	return kinds
}

// differing returns the sorted kinds of the lines in which two reports differ.
func differing(a, b string) []string {
	inA, inB := lines(a), lines(b)
	var kinds []string
	for kind, l := range inA {
		if !slices.Equal(l, inB[kind]) {
			kinds = append(kinds, kind)
		}
	}
	for kind := range inB {
		if _, ok := inA[kind]; !ok {
			kinds = append(kinds, kind)
		}
	}
	slices.Sort(kinds)
	return kinds
}

// difference returns the lines in which two reports differ, up to a readable length.
func difference(want, got string, kinds []string) string {
	const most = 10
	var b strings.Builder
	inWant, inGot := lines(want), lines(got)
	for _, kind := range kinds {
		fmt.Fprintf(&b, "%s:\n  want %s\n  got  %s\n", kind, show(inWant[kind], most), show(inGot[kind], most))
	}
	return b.String()
}

func show(l []string, most int) string {
	if len(l) > most {
		return fmt.Sprintf("%q and %d more", l[:most], len(l)-most)
	}
	return fmt.Sprintf("%q", l)
}
