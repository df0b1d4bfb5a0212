package capability

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/wasmtool/wasmtool/internal/suggest"
)

// forms shows each kind as it is written, in the order in which they are listed.
var forms = []struct {
	kind Kind
	form string
}{
	{KindRead, "read:MOUNT"},
	{KindWrite, "write:MOUNT"},
	{KindNet, "net:URL"},
	{KindNetPrivate, "net-private:URL"},
	{KindEnv, "env:NAME"},
	{KindSecret, "secret:NAME"},
	{KindKV, "kv:read or kv:write"},
	{KindClock, "clock"},
	{KindRandom, "random"},
}

// secretPart is the userinfo or the query of a URL.
var secretPart = regexp.MustCompile(`(//)[^/?#]*@|([?#]).*`)

// WordError is a word that cannot be read.
type WordError struct {
	// Word is the text as it was given, quoted, shortened, and without what may be a
	// secret in a URL.
	Word string
	// Problem says what is wrong with it and what to write instead.
	Problem error
}

// Error names the word, the problem and the fix.
func (e *WordError) Error() string { return "permission " + e.Word + ": " + e.Problem.Error() }

// Unwrap returns the problem, a *URLError where a URL is at fault.
func (e *WordError) Unwrap() error { return e.Problem }

// ParseWord reads a word in the grammar of Word. Errors are a *WordError.
func ParseWord(text string) (Word, error) {
	w, err := parseWord(text)
	if err != nil {
		return Word{}, &WordError{Word: shown(secretPart.ReplaceAllString(text, "$1$2…")), Problem: err}
	}
	return w, nil
}

func parseWord(text string) (Word, error) {
	head, rest, colon := strings.Cut(text, ":")
	w := Word{kind: Kind(head)}
	switch w.kind {
	case KindClock, KindRandom:
		if colon {
			return w, fmt.Errorf("nothing follows %s; write %s", head, head)
		}
		return w, nil
	case KindRead, KindWrite:
		w.name = rest
		return w, checkMountName(rest)
	case KindEnv:
		w.name = rest
		return w, checkEnvName(rest)
	case KindSecret:
		w.name = rest
		return w, checkSecretName(rest)
	case KindKV:
		w.name = rest
		if w.mode() == ModeNone {
			return w, errors.New("the store is for reading or writing; write kv:read or kv:write")
		}
		return w, nil
	case KindNet, KindNetPrivate:
		return parseNetWord(w.kind, rest)
	}
	return w, unknownKind(text, head)
}

// parseNetWord reads [METHODS:]URL.
func parseNetWord(kind Kind, text string) (Word, error) {
	var methods []string
	if head, rest, ok := strings.Cut(text, ":"); ok && head != "" && !strings.HasPrefix(rest, "//") && !strings.ContainsAny(head, "/.[") {
		methods, text = strings.Split(head, ","), rest
		if err := checkMethods(methods); err != nil {
			return Word{}, err
		}
	}
	url, err := ParseURLPattern(text)
	if err != nil {
		return Word{}, err
	}
	if kind == KindNetPrivate && url.IsAny() {
		return Word{}, errors.New("there is no word for every private host; name each")
	}
	return netWord(kind, url, methods), nil
}

// unknownKind says what the nearest word would be.
func unknownKind(text, head string) error {
	if lower := strings.ToLower(head); defaultPort(lower) != 0 && strings.HasPrefix(text[len(head):], "://") {
		return errors.New("a URL is granted with net: before it; write net:" + lower + "://...")
	}
	var kinds, all []string
	for _, f := range forms {
		kinds = append(kinds, string(f.kind))
		all = append(all, f.form)
	}
	if near := suggest.Nearest(head, kinds); near != "" {
		return fmt.Errorf("%s is no kind of permission; did you mean %s?", shown(head), near)
	}
	return fmt.Errorf("%s is no kind of permission; write %s", shown(head), strings.Join(all, ", "))
}
