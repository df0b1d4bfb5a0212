package stringtool

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"unicode/utf8"

	"github.com/wasmtool/wasmtool/guest-examples/internal/jsonvalue"
	"github.com/wasmtool/wasmtool/guest-examples/internal/text"
	"github.com/wasmtool/wasmtool/guest-examples/internal/toolabi"
)

// maxMatches is how many matches a call may look at: each takes memory.
const maxMatches = 50_000

// pattern returns what to look for; prefix and suffix are regular expressions
// around it.
func pattern(args Args, prefix, suffix string) (*regexp.Regexp, error) {
	if args.Search == nil || *args.Search == "" {
		return nil, errors.New("search is missing or empty; it is the text or the regular expression to look for")
	}
	expression := *args.Search
	if !args.Regex {
		expression = regexp.QuoteMeta(expression)
	}
	// By itself first, for the sake of the error and because a bracket in it
	// must not close the one that is put around it.
	re, err := text.Regexp("search", expression)
	if err != nil || prefix == "" && suffix == "" && !args.IgnoreCase {
		return re, err
	}
	if args.IgnoreCase {
		prefix += "(?i)"
	}
	return regexp.Compile(prefix + "(?:" + expression + ")" + suffix)
}

// matches returns where the pattern is found in the text, with its groups, at
// most so many times as count says.
func matches(args Args) (*regexp.Regexp, [][]int, error) {
	re, err := pattern(args, "", "")
	if err != nil {
		return nil, nil, err
	}
	limit := maxMatches + 1
	if args.Count != nil {
		if *args.Count < 1 {
			return nil, nil, fmt.Errorf("count is %d; it must be at least 1, or left out for all", *args.Count)
		}
		limit = int(min(*args.Count, toolabi.Int(limit)))
	}
	found := re.FindAllStringSubmatchIndex(*args.Text, limit)
	if len(found) > maxMatches {
		return nil, nil, fmt.Errorf("there are more than %d matches; do it in parts, or give count", maxMatches)
	}
	return re, found, nil
}

// holds returns whether the pattern with what is put around it matches.
func holds(args Args, prefix, suffix string) (string, error) {
	re, err := pattern(args, prefix, suffix)
	if err != nil {
		return "", err
	}
	return strconv.FormatBool(re.MatchString(*args.Text)), nil
}

func contains(args Args) (string, error) { return holds(args, "", "") }

func startsWith(args Args) (string, error) { return holds(args, `\A`, "") }

func endsWith(args Args) (string, error) { return holds(args, "", `\z`) }

// indexOf counts characters from 0, and returns -1 for what is not there.
func indexOf(args Args) (string, error) {
	re, err := pattern(args, "", "")
	if err != nil {
		return "", err
	}
	at := re.FindStringIndex(*args.Text)
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

// replace puts the replacement in the place of each match. In that of a regular
// expression, $1 and ${name} are groups and $$ is a dollar sign.
func replace(args Args) (string, error) {
	re, found, err := matches(args)
	if err != nil {
		return "", err
	}
	replacement := ""
	if args.Replacement != nil {
		replacement = *args.Replacement
	}
	var out []byte
	from := 0
	for _, match := range found {
		out = append(out, (*args.Text)[from:match[0]]...)
		if args.Regex {
			out = re.ExpandString(out, replacement, *args.Text, match)
		} else {
			out = append(out, replacement...)
		}
		if len(out) > MaxOutput {
			return "", tooLong()
		}
		from = match[1]
	}
	return string(append(out, (*args.Text)[from:]...)), nil
}

// split returns the parts between the matches as a JSON array; count is how many
// times to split at most.
func split(args Args) (string, error) {
	_, found, err := matches(args)
	if err != nil {
		return "", err
	}
	parts := make([]string, 0, len(found)+1)
	from := 0
	for _, match := range found {
		if match[1] == 0 || match[0] == len(*args.Text) && match[0] == match[1] {
			continue // an empty match at an end parts nothing
		}
		parts = append(parts, (*args.Text)[from:match[0]])
		from = match[1]
	}
	return list(append(parts, (*args.Text)[from:])), nil
}

// extract returns what the regular expression matches as a JSON array: with
// groups, what the only one matched, or an array of them, or an object if they
// have names. A group without a part in the match is null.
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
		if size > 2*MaxOutput { // groups may lie inside of each other
			return "", tooLong()
		}
	}
	return jsonvalue.NewArray(items).String(), nil
}

// extracted returns what there is to say about a match.
func extracted(re *regexp.Regexp, whole string, match []int) jsonvalue.Value {
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
