package secret

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"html"
	"net/url"
	"strings"
	"unicode/utf16"
)

// MinHidden is the shortest value that is hidden, in bytes: shorter ones stand by chance in
// any text.
const MinHidden = 8

// forms are the ways in which a server may tell a value again. Each has MinHidden bytes at
// least.
func forms(value string) []string {
	var list []string
	add := func(forms ...string) {
		for _, f := range forms {
			if len(f) >= MinHidden {
				list = append(list, f)
			}
		}
	}
	add(value, html.EscapeString(value))
	add(hex.EncodeToString([]byte(value)), strings.ToUpper(hex.EncodeToString([]byte(value))))
	add(base64Forms(value)...)
	add(percentForms(value)...)
	add(jsonForms(value)...)
	return list
}

// base64Forms are what base64 makes of the value wherever it stands in the text: at three
// places within a group, without what the neighbours decide.
func base64Forms(value string) []string {
	var list []string
	for _, encoding := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
		for before := range 3 {
			text := encoding.EncodeToString([]byte(strings.Repeat("\x00", before) + value))
			text = text[(before*8+5)/6:]
			if (before+len(value))%3 != 0 {
				text = text[:len(text)-1]
			}
			list = append(list, text)
		}
	}
	return list
}

// percentForms are the escapes of URLs and forms, in capitals and small letters.
func percentForms(value string) []string {
	var every strings.Builder
	for i := range len(value) {
		fmt.Fprintf(&every, "%%%02X", value[i])
	}
	query := url.QueryEscape(value)
	list := []string{query, strings.ReplaceAll(query, "+", "%20"), url.PathEscape(value), every.String()}
	for _, text := range list {
		list = append(list, smallEscapes(text))
	}
	return list
}

// smallEscapes writes the escapes in small letters.
func smallEscapes(text string) string {
	b := []byte(text)
	for i := 0; i+2 < len(b); i++ {
		if b[i] == '%' {
			copy(b[i+1:], strings.ToLower(string(b[i+1:i+3])))
			i += 2
		}
	}
	return string(b)
}

// jsonForms are what the value may be inside of a JSON string.
func jsonForms(value string) []string {
	quoted, _ := json.Marshal(value) // a text can always be written
	inside := string(quoted[1 : len(quoted)-1])
	var plain strings.Builder
	e := json.NewEncoder(&plain)
	e.SetEscapeHTML(false)
	_ = e.Encode(value)
	bare := strings.TrimSuffix(plain.String(), "\n")
	bare = bare[1 : len(bare)-1]
	var every strings.Builder
	for _, unit := range utf16.Encode([]rune(value)) {
		fmt.Fprintf(&every, "\\u%04x", unit)
	}
	capitals := strings.ReplaceAll(strings.ToUpper(every.String()), "\\U", "\\u")
	return []string{inside, strings.ReplaceAll(inside, "/", "\\/"), bare, strings.ReplaceAll(bare, "/", "\\/"), every.String(), capitals}
}
