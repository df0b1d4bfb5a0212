package stringtool

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"unicode/utf8"

	"github.com/wasmtool/wasmtool/guest-examples/internal/jsonvalue"
	"github.com/wasmtool/wasmtool/guest-examples/internal/regex"
	"github.com/wasmtool/wasmtool/guest-examples/internal/text"
	"github.com/wasmtool/wasmtool/guest-examples/internal/toolabi"
)

// maxMatches limits the number of matches in a call, because each match needs memory.
const maxMatches = 50_000

// pattern compiles a regular expression that consists of prefix, Search and suffix.
func pattern(args Args, prefix, suffix string) (*regex.Regexp, error) {
	if args.Search == nil || *args.Search == "" {
		return nil, errors.New(`the argument "search" is missing or empty; give the text or the regular expression to search for`)
	}
	expression := *args.Search
	if !args.Regex {
		expression = regexp.QuoteMeta(expression)
	}
	// First compile Search alone. This gives a clear error, and ensures that an unmatched bracket
	// in Search can't close the group around it.
	re, err := text.Regexp("search", expression)
	if err != nil || prefix == "" && suffix == "" && !args.IgnoreCase {
		return re, err
	}
	if args.IgnoreCase {
		prefix += "(?i)"
	}
	return regex.Compile(prefix + "(?:" + expression + ")" + suffix)
}

// matches returns the positions of the matches of the pattern and of their groups. It returns at
// most Count matches.
func matches(args Args) (*regex.Regexp, [][]int, error) {
	re, err := pattern(args, "", "")
	if err != nil {
		return nil, nil, err
	}
	limit := maxMatches + 1
	if args.Count != nil {
		if *args.Count < 1 {
			return nil, nil, fmt.Errorf(`the argument "count" is %d; it must be at least 1, or be omitted for all matches`, *args.Count)
		}
		limit = int(min(*args.Count, toolabi.Int(limit)))
	}
	found := re.FindAllSubmatchIndex([]byte(*args.Text), limit)
	if len(found) > maxMatches {
		return nil, nil, fmt.Errorf("the text has more than the limit of %d matches; split the text, or set count", maxMatches)
	}
	return re, found, nil
}

// holds returns "true" if the pattern that consists of prefix, Search and suffix matches, otherwise
// "false".
func holds(args Args, prefix, suffix string) (string, error) {
	re, err := pattern(args, prefix, suffix)
	if err != nil {
		return "", err
	}
	return strconv.FormatBool(re.Match([]byte(*args.Text))), nil
}

func contains(args Args) (string, error) { return holds(args, "", "") }

func startsWith(args Args) (string, error) { return holds(args, `\A`, "") }

func endsWith(args Args) (string, error) { return holds(args, "", `\z`) }

// indexOf returns the index of the first match in characters, or -1 if there is no match.
func indexOf(args Args) (string, error) {
	re, err := pattern(args, "", "")
	if err != nil {
		return "", err
	}
	at := re.FindIndex([]byte(*args.Text))
	if at == nil {
		return "-1", nil
	}
	return strconv.Itoa(utf8.RuneCountInString((*args.Text)[:at[0]])), nil
}

func count(args Args) (string, error) {
	args.Count = nil
	_, found, err := matches(args)
	return strconv.Itoa(len(found)), err
}

// replace replaces each match. If Search is a regular expression, the replacement may have groups.
func replace(args Args) (string, error) {
	re, found, err := matches(args)
	if err != nil {
		return "", err
	}
	var with replacement
	switch {
	case args.Replacement == nil:
	case args.Regex:
		with, err = parseReplacement(*args.Replacement, re)
	default:
		with = replacement{{literal: *args.Replacement, group: -1}}
	}
	if err != nil {
		return "", err
	}
	var out []byte
	from := 0
	for _, match := range found {
		out = append(out, (*args.Text)[from:match[0]]...)
		if out = with.appendTo(out, *args.Text, match); len(out) > MaxOutput {
			return "", tooLong()
		}
		from = match[1]
	}
	return string(append(out, (*args.Text)[from:]...)), nil
}

// split returns the parts of the text between the matches as a JSON array. Count limits the number
// of splits.
func split(args Args) (string, error) {
	_, found, err := matches(args)
	if err != nil {
		return "", err
	}
	parts := make([]string, 0, len(found)+1)
	from := 0
	for _, match := range found {
		if match[1] == 0 || match[0] == len(*args.Text) && match[0] == match[1] {
			continue // do not split at an empty match at the end
		}
		parts = append(parts, (*args.Text)[from:match[0]])
		from = match[1]
	}
	return list(append(parts, (*args.Text)[from:])), nil
}

// extract returns the matches of the regular expression as a JSON array. A match of an expression
// with one group is the text of the group. With several groups it is an array, and with named
// groups an object. A group without a match is null.
func extract(args Args) (string, error) {
	args.Regex = true
	re, found, err := matches(args)
	if err != nil {
		return "", err
	}
	items := make([]jsonvalue.Value, len(found))
	size := 0
	for i, match := range found {
		items[i] = extracted(re, *args.Text, match)
		for group := 0; group < len(match); group += 2 {
			size += match[group+1] - match[group]
		}
		if size > 2*MaxOutput { // nested groups can have more text in total than the matches
			return "", tooLong()
		}
	}
	return jsonvalue.NewArray(items).String(), nil
}

// extracted returns the JSON value for one match.
func extracted(re *regex.Regexp, whole string, match []int) jsonvalue.Value {
	group := func(i int) jsonvalue.Value {
		if match[2*i] < 0 {
			return jsonvalue.NewNull()
		}
		return jsonvalue.NewString(whole[match[2*i]:match[2*i+1]])
	}
	named := &jsonvalue.Members{}
	var all []jsonvalue.Value
	for i, name := range re.SubexpNames()[1:] {
		all = append(all, group(i+1))
		if name != "" {
			named.Set(name, group(i+1))
		}
	}
	switch {
	case named.Len() > 0:
		return jsonvalue.NewObject(named)
	case len(all) > 1:
		return jsonvalue.NewArray(all)
	case len(all) == 1:
		return all[0]
	default:
		return group(0)
	}
}
