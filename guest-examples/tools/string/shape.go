package stringtool

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/rivo/uniseg"
	"github.com/wasmtool/wasmtool/guest-examples/internal/jsonvalue"
	"github.com/wasmtool/wasmtool/guest-examples/internal/toolabi"
)

// reverse reverses the visible characters. A letter with its accents is one character, and so is a
// flag.
func reverse(text string) string {
	return uniseg.ReverseString(text)
}

// length returns the number of characters, bytes, words and lines.
func length(text string) string {
	characters, visible := utf8.RuneCountInString(text), uniseg.GraphemeClusterCount(text)
	more := ""
	if visible != characters {
		more = toolabi.Quantity(visible, "visible character") + ", "
	}
	return fmt.Sprintf("%d (%s%s, %s, %s)", characters, more, toolabi.Quantity(len(text), "byte"),
		toolabi.Quantity(len(strings.Fields(text)), "word"), toolabi.Quantity(len(textLines(text)), "line"))
}

// textLines splits a text into lines without line ends. A line break at the end does not begin
// another line.
func textLines(text string) []string {
	if text == "" {
		return nil
	}
	all := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	for i, line := range all {
		all[i] = strings.TrimSuffix(line, "\r")
	}
	return all
}

func lines(text string) string { return list(textLines(text)) }

// list returns the strings as a JSON array.
func list(texts []string) string {
	items := make([]jsonvalue.Value, len(texts))
	for i, text := range texts {
		items[i] = jsonvalue.NewString(text)
	}
	return jsonvalue.NewArray(items).String()
}

func trim(args Args) (string, error) {
	belongs := unicode.IsSpace
	if args.Fill != nil && *args.Fill != "" {
		belongs = func(r rune) bool { return strings.ContainsRune(*args.Fill, r) }
	}
	switch args.Side {
	case Left:
		return strings.TrimLeftFunc(*args.Text, belongs), nil
	case Right:
		return strings.TrimRightFunc(*args.Text, belongs), nil
	case Both, "":
		return strings.TrimFunc(*args.Text, belongs), nil
	}
	return "", unknownSide(args.Side)
}

func unknownSide(side Side) error {
	return fmt.Errorf(`the argument "side" is %q; it must be left, right or both`, side)
}

// wantedLength returns the argument Length, or an error if it is missing or out of range.
func wantedLength(args Args) (int, error) {
	switch {
	case args.Length == nil:
		return 0, missing("length")
	case *args.Length < 0 || *args.Length > MaxOutput:
		return 0, fmt.Errorf(`the argument "length" is %d; it must be from 0 to %d`, *args.Length, MaxOutput)
	}
	return int(*args.Length), nil
}

// pad fills a text up to Length. When it pads both sides, the right side gets the odd character.
func pad(args Args) (string, error) {
	want, err := wantedLength(args)
	if err != nil {
		return "", err
	}
	fill := []rune(" ")
	if args.Fill != nil {
		fill = []rune(*args.Fill)
	}
	if len(fill) == 0 {
		return "", errors.New(`the argument "fill" is empty; give at least one character`)
	}
	lack := max(want-utf8.RuneCountInString(*args.Text), 0)
	filled := func(n int) string {
		return string(slices.Repeat(fill, n/len(fill)+1)[:n])
	}
	switch args.Side {
	case Left:
		return filled(lack) + *args.Text, nil
	case Right, "":
		return *args.Text + filled(lack), nil
	case Both:
		return filled(lack/2) + *args.Text + filled(lack-lack/2), nil
	}
	return "", unknownSide(args.Side)
}

func repeat(args Args) (string, error) {
	switch {
	case args.Count == nil:
		return "", missing("count")
	case *args.Count < 0:
		return "", fmt.Errorf(`the argument "count" is %d; it must be at least 0`, *args.Count)
	case *args.Text != "" && *args.Count > toolabi.Int(MaxOutput/len(*args.Text)):
		return "", tooLong()
	case *args.Text == "":
		return "", nil
	}
	return strings.Repeat(*args.Text, int(*args.Count)), nil
}

// truncate shortens a text to Length visible characters. The ending that it adds is part of this
// length.
func truncate(args Args) (string, error) {
	want, err := wantedLength(args)
	if err != nil {
		return "", err
	}
	if uniseg.GraphemeClusterCount(*args.Text) <= want {
		return *args.Text, nil
	}
	ending := "…"
	if args.Fill != nil {
		ending = *args.Fill
	}
	keep := want - uniseg.GraphemeClusterCount(ending)
	if keep < 0 {
		return "", fmt.Errorf(`the argument "length" is %d, which is too short for the ending %.40q; set a larger length or a shorter fill`, want, ending)
	}
	rest, state := *args.Text, -1
	for range keep {
		_, rest, _, state = uniseg.FirstGraphemeClusterInString(rest, state)
	}
	return strings.TrimSuffix(*args.Text, rest) + ending, nil
}

func substring(args Args) (string, error) {
	runes := []rune(*args.Text)
	start, end := toolabi.Place(args.Start, len(runes)), len(runes)
	if args.End != nil {
		end = toolabi.Place(*args.End, len(runes))
	}
	return string(runes[start:max(start, end)]), nil
}

func join(args Args) (string, error) {
	if args.Items == nil {
		return "", errors.New(`the argument "items" is missing; give the strings to join as an array`)
	}
	separator := ", "
	if args.Separator != nil {
		separator = *args.Separator
	}
	length := max(len(args.Items)-1, 0) * len(separator)
	for _, item := range args.Items {
		length += len(item)
	}
	if length > MaxOutput {
		return "", tooLong()
	}
	return strings.Join(args.Items, separator), nil
}
