package jsonschema

import (
	"errors"
	"net/netip"
	"strings"

	santhosh "github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/wasmtool/wasmtool/internal/lazyregexp"
	"golang.org/x/net/idna"
)

// formats returns the formats that the library checks too strictly, too loosely or not at all.
func formats() []*santhosh.Format {
	var list []*santhosh.Format
	for name, check := range map[string]func(string) error{
		"uri-template": matches(uriTemplate, "it does not follow RFC 6570"),
		"duration":     matches(duration, "it does not follow appendix A of RFC 3339"),
		"ipv4":         checkIPv4,
		"hostname":     checkHostname,
		"idn-hostname": checkIDNHostname,
		"email":        checkEmail(localPart, checkHostname),
		"idn-email":    checkEmail(wideLocal, checkIDNHostname),
	} {
		list = append(list, &santhosh.Format{Name: name, Validate: func(v any) error {
			text, ok := v.(string)
			if !ok {
				return nil
			}
			return check(text)
		}})
	}
	return list
}

const (
	pctEncoded = `%[0-9A-Fa-f]{2}`
	varname    = `(?:\w|` + pctEncoded + `)(?:\.?(?:\w|` + pctEncoded + `))*`
	varspec    = varname + `(?::[1-9][0-9]{0,3}|\*)?`
)

// uriTemplate is the grammar of RFC 6570, section 2. It allows an apostrophe, as erratum 6937 does.
var uriTemplate = lazyregexp.New(`^(?:[^\x00-\x20\x7F"%<>\\^` + "`" + `{|}]|` + pctEncoded +
	`|\{[+#./;?&=,!@|]?` + varspec + `(?:,` + varspec + `)*\})*$`)

const (
	durationDate = `(?:[0-9]+D|[0-9]+M(?:[0-9]+D)?|[0-9]+Y(?:[0-9]+M(?:[0-9]+D)?)?)`
	durationTime = `T(?:[0-9]+S|[0-9]+M(?:[0-9]+S)?|[0-9]+H(?:[0-9]+M(?:[0-9]+S)?)?)`
)

// duration is the grammar of RFC 3339, appendix A.
var duration = lazyregexp.New(`^P(?:[0-9]+W|` + durationDate + `(?:` + durationTime + `)?|` + durationTime + `)$`)

func matches(grammar lazyregexp.Pattern, problem string) func(string) error {
	return func(text string) error {
		if !grammar.MatchString(text) {
			return errors.New(problem)
		}
		return nil
	}
}

func checkIPv4(text string) error {
	if address, err := netip.ParseAddr(text); err != nil || !address.Is4() {
		return errors.New("it is not four numbers from 0 to 255 with dots between them")
	}
	return nil
}

// label is one label of a host name by RFC 1123, section 2.1.
var label = lazyregexp.New(`^[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?$`)

// maxHostname is the maximum length of a host name by RFC 1123, section 2.1.
const maxHostname = 253

// checkHostname checks a host name in ASCII. A label that begins with xn-- must be a valid
// A-label of RFC 5890.
func checkHostname(text string) error {
	if len(text) > maxHostname {
		return errors.New("it is longer than 253 characters")
	}
	for part := range strings.SplitSeq(text, ".") {
		if !label.MatchString(part) {
			return errors.New("each part between dots is 1 to 63 letters, digits and hyphens, with no hyphen at either end")
		}
		if len(part) > 3 && part[2:4] == "--" {
			if err := checkIDNLabels(part); err != nil {
				return err
			}
		}
	}
	return nil
}

// fullStops are the characters that separate labels like a dot, by RFC 3490, section 3.1.
var fullStops = strings.NewReplacer("\u3002", ".", "\uFF0E", ".", "\uFF61", ".")

// checkIDNHostname checks a host name that may contain characters outside of ASCII, by RFC 5890.
func checkIDNHostname(text string) error {
	text = fullStops.Replace(text)
	if strings.HasSuffix(text, ".") || text == "" {
		return errors.New("each part between dots has at least one character")
	}
	return checkIDNLabels(text)
}

func checkIDNLabels(text string) error {
	profile := idna.New(idna.ValidateForRegistration(), idna.CheckJoiners(true))
	if _, err := profile.ToASCII(text); err != nil {
		return errors.New("it is not a valid internationalized host name")
	}
	return nil
}

const (
	maxEmail  = 254 // the maximum length of an address by RFC 5321, section 4.5.3.1
	maxLocal  = 64  // the maximum length of its local part
	atomChars = "[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+"
	wideChars = "[A-Za-z0-9!#$%&'*+/=?^_`{|}~\\x{80}-\\x{10FFFF}-]+"
)

// localPart is the part of an address before the @: atoms or a quoted string of RFC 5321. wideLocal
// also allows characters outside of ASCII, as RFC 6531 does.
var (
	localPart = lazyregexp.New(`^(?:` + atomChars + `(?:\.` + atomChars + `)*|"[^"\\\x00-\x08\x0A-\x1F\x7F]*")$`)
	wideLocal = lazyregexp.New(`^(?:` + wideChars + `(?:\.` + wideChars + `)*|"[^"\\\x00-\x08\x0A-\x1F\x7F]*")$`)
)

// checkEmail returns a check for an e-mail address. The local part must match local, and domain
// checks the domain.
func checkEmail(local lazyregexp.Pattern, domain func(string) error) func(string) error {
	return func(text string) error {
		at := strings.LastIndexByte(text, '@')
		if at < 0 {
			return errors.New("it has no @")
		}
		if len(text) > maxEmail || at > maxLocal || !local.MatchString(text[:at]) {
			return errors.New("the part before the @ is not valid")
		}
		host := text[at+1:]
		if inside, ok := strings.CutPrefix(host, "["); ok && strings.HasSuffix(inside, "]") {
			inside = strings.TrimSuffix(inside, "]")
			if v6, ok := strings.CutPrefix(inside, "IPv6:"); ok {
				if address, err := netip.ParseAddr(v6); err != nil || !address.Is6() || address.Zone() != "" {
					return errors.New("the part after the @ is not an IPv6 address")
				}
				return nil
			}
			return checkIPv4(inside)
		}
		return domain(host)
	}
}
