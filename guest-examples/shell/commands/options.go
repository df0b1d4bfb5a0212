package commands

import (
	"fmt"
	"strings"
)

// option is an option that was given on the command line. name is the first name in its
// specification.
type option struct{ name, value string }

// options are the options that were given on a command line, in order.
type options []option

// has reports whether the option was given.
func (o options) has(name string) bool {
	for _, opt := range o {
		if opt.name == name {
			return true
		}
	}
	return false
}

// value returns the last value of the option, or def if it was not given.
func (o options) value(name, def string) string {
	for _, opt := range o {
		if opt.name == name {
			def = opt.value
		}
	}
	return def
}

// values returns all values of an option.
func (o options) values(name string) []string {
	var all []string
	for _, opt := range o {
		if opt.name == name {
			all = append(all, opt.value)
		}
	}
	return all
}

// last returns the name of the option among names that was given last, or "" if none was given.
func (o options) last(names ...string) string {
	found := ""
	for _, opt := range o {
		for _, name := range names {
			if opt.name == name {
				found = name
			}
		}
	}
	return found
}

// optionKind says whether an option takes a value.
type optionKind int

const (
	noValue optionKind = iota
	needsValue
	mayHaveValue // the value is optional and must be attached: -i.bak, --color=auto
)

type knownOption struct {
	names []string
	kind  optionKind
}

// operandOption is the name of an operand among the options.
const operandOption = "operand"

// optionSet is a parsed specification of options.
type optionSet struct {
	all []knownOption
	// ordered reports that the first operand ends the options, for commands that run another
	// command.
	ordered bool
	// number reports that -5 is the option "#" with the value 5.
	number bool
	// negative accepts -5 and -.5 as operands.
	negative bool
	// placed also adds each operand to the options, as operandOption, for options that apply to the
	// operands after them.
	placed bool
}

// readOptions parses a specification: options separated by spaces, and the names of an option
// separated by commas. ":" follows an option with a value, "::" an option with an optional value.
// "+" alone ends the options at the first operand, "#" alone accepts a number as an option, and "-"
// alone takes negative numbers as operands. With "=" alone, the options include the operands.
func readOptions(specification string) optionSet {
	set := optionSet{}
	for _, field := range strings.Fields(specification) {
		switch field {
		case "+":
			set.ordered = true
			continue
		case "#":
			set.number = true
			continue
		case "-":
			set.negative = true
			continue
		case "=":
			set.placed = true
			continue
		}
		opt := knownOption{}
		switch {
		case strings.HasSuffix(field, "::"):
			opt.kind, field = mayHaveValue, field[:len(field)-2]
		case strings.HasSuffix(field, ":"):
			opt.kind, field = needsValue, field[:len(field)-1]
		}
		opt.names = strings.Split(field, ",")
		set.all = append(set.all, opt)
	}
	set.all = append(set.all, knownOption{names: []string{"help"}})
	return set
}

// knownOptions formats the options of a specification for an error message.
func knownOptions(specification string) string {
	set := readOptions(specification)
	var list []string
	if set.number {
		list = append(list, "-NUMBER")
	}
	for _, opt := range set.all {
		for _, name := range opt.names {
			list = append(list, dashed(name))
		}
	}
	return strings.Join(list, " ")
}

func dashed(name string) string {
	if len(name) == 1 {
		return "-" + name
	}
	return "--" + name
}

// parseOptions parses a command line as getopt_long does. It accepts combined short options, values
// attached or in the next word, unambiguous prefixes of long options, and options after operands.
// "--" ends the options.
func parseOptions(specification string, words []string) (options, []string, error) {
	set := readOptions(specification)
	var opts options
	var operands []string
	operand := func(word string) {
		if operands = append(operands, word); set.placed {
			opts = append(opts, option{operandOption, word})
		}
	}
	for len(words) > 0 {
		word := words[0]
		words = words[1:]
		switch {
		case word == "--":
			for _, word := range words {
				operand(word)
			}
			return opts, operands, nil
		case strings.HasPrefix(word, "--"):
			opt, rest, err := set.long(specification, word[2:], words)
			if err != nil {
				return nil, nil, err
			}
			opts, words = append(opts, opt), rest
		case len(word) > 1 && word[0] == '-' && !(set.negative && (isDigit(word[1]) || word[1] == '.')):
			more, rest, err := set.short(specification, word[1:], words)
			if err != nil {
				return nil, nil, err
			}
			opts, words = append(opts, more...), rest
		case set.ordered:
			return opts, append([]string{word}, words...), nil
		default:
			operand(word)
		}
	}
	return opts, operands, nil
}

func (s optionSet) long(specification, word string, words []string) (option, []string, error) {
	name, value, attached := strings.Cut(word, "=")
	var found *knownOption
	for i := range s.all {
		for _, known := range s.all[i].names {
			if len(known) == 1 {
				continue
			}
			if known == name {
				found = &s.all[i]
				goto known
			}
			if strings.HasPrefix(known, name) {
				if found != nil && found != &s.all[i] {
					return option{}, nil, fmt.Errorf("option '--%s' is ambiguous; supported: %s", name, knownOptions(specification))
				}
				found = &s.all[i]
			}
		}
	}
known:
	switch {
	case found == nil:
		return option{}, nil, fmt.Errorf("unrecognized option '--%s'; supported: %s", name, knownOptions(specification))
	case attached && found.kind == noValue:
		return option{}, nil, fmt.Errorf("option '--%s' doesn't allow an argument", name)
	case !attached && found.kind == needsValue:
		if len(words) == 0 {
			return option{}, nil, fmt.Errorf("option '--%s' requires an argument", name)
		}
		value, words = words[0], words[1:]
	}
	return option{found.names[0], value}, words, nil
}

// short parses the short options in one word. The parameter word has no leading dash.
func (s optionSet) short(specification, word string, words []string) (options, []string, error) {
	var opts options
	for i := 0; i < len(word); i++ {
		if s.number && word[i] >= '0' && word[i] <= '9' {
			end := i
			for end < len(word) && word[end] >= '0' && word[end] <= '9' {
				end++
			}
			opts = append(opts, option{"#", word[i:end]})
			i = end - 1
			continue
		}
		opt := s.byLetter(word[i : i+1])
		if opt == nil {
			return nil, nil, fmt.Errorf("invalid option -- '%c'; supported: %s", word[i], knownOptions(specification))
		}
		if opt.kind == noValue {
			opts = append(opts, option{opt.names[0], ""})
			continue
		}
		value := word[i+1:]
		if value == "" && opt.kind == needsValue {
			if len(words) == 0 {
				return nil, nil, fmt.Errorf("option requires an argument -- '%c'", word[i])
			}
			value, words = words[0], words[1:]
		}
		return append(opts, option{opt.names[0], value}), words, nil
	}
	return opts, words, nil
}

func (s optionSet) byLetter(letter string) *knownOption {
	for i := range s.all {
		for _, name := range s.all[i].names {
			if name == letter {
				return &s.all[i]
			}
		}
	}
	return nil
}
