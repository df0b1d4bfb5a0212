package bash

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/wasmtool/wasmtool/guest-examples/internal/testprogram"
)

// texts are texts in many scripts, with composed and decomposed accents.
var texts = map[string]string{
	"Latin": "État naïve Ünï_1", "decomposed": "e\u0301cole cafe\u0301 n\u0303", "Greek": "Άλφα ΒΗΤΑ ςσ", "Cyrillic": "Привет МИР ёлка",
	"Hebrew": "שָׁלוֹם עולם", "Arabic": "مَرْحَبًا ٤٢", "Devanagari": "हिन्दी क्षेत्र ४२", "Thai": "ภาษาไทย ก้า", "Han": "读取工具 世界",
	"kana": "ひらがな カタカナ", "Hangul": "한국어 말", "emoji": "👩‍👩‍👧 🙂 é🇫🇷",
}

// The shell and its commands treat texts as bash and GNU's commands do in the locale C.UTF-8.
func TestTextOfAllScripts(t *testing.T) {
	bash := systemBash(t)
	const locale = "export LC_ALL=C.UTF-8\n"
	if out, _ := theirs(t, bash, t.TempDir(), locale+"x=é; echo ${#x}"); out.stdout != "1\n" {
		testprogram.Missing(t, "the locale C.UTF-8")
	}
	cases := scripts(t, filepath.Join("testdata", "text.txt"))
	for script, text := range texts {
		t.Run(script, func(t *testing.T) {
			t.Parallel()
			var all strings.Builder
			all.WriteString(locale + "x='" + text + "'\n")
			for _, c := range cases {
				all.WriteString("mkdir d; cd d; echo '### " + c.name + "'\n" + c.text + "cd ..; rm -r d\n")
			}
			want, wantErr := theirs(t, bash, t.TempDir(), all.String())
			got, gotErr := ours(t, t.TempDir(), all.String())
			wants, gots := strings.Split(want.stdout, "###"), strings.Split(got.stdout, "###")
			if len(gots) != len(wants) || gotErr != "" || wantErr != "" {
				t.Fatalf("%d of %d cases ran: %s %s", len(gots), len(wants), gotErr, wantErr)
			}
			for i := range gots {
				if gots[i] != wants[i] {
					t.Errorf("got  %s\nwant %s", gots[i], wants[i])
				}
			}
		})
	}
}

// The classes of patterns contain the letters of all scripts. Accents and vowel signs belong to the
// letters, as in grep here; in the GNU C library, some are punctuation.
func TestClassesOfAllScripts(t *testing.T) {
	for text, want := range map[string]string{
		`[[ é世हि == [[:alpha:]][[:alpha:]][[:alpha:]][[:alpha:]] ]] && [[ é =~ ^[[:alnum:]]$ ]] && echo yes`: "yes\n",
		"x=$'e\\u0301 b'; echo \"${x##[[:alpha:]]} ${x%%[![:alpha:]]*}\"":                                    "\u0301 b e\u0301\n",
		`[[ ٤ == [[:digit:]] || 世 =~ [[:punct:]] ]] || echo no`:                                              "no\n",
		`x='a。b'; echo "${x//[[:punct:]]/,}"; touch 世 é 1; echo [[:alpha:]]`:                                 "a,b\né 世\n",
		`r='^\w+$'; [[ 👩‍👧 == +([[:graph:]]) && 世界 =~ $r ]] && echo yes`:                                     "yes\n",
	} {
		if got, stderr := ours(t, t.TempDir(), text); got.stdout != want {
			t.Errorf("%s\ngot %q, %q; want %q", text, got.stdout, stderr, want)
		}
	}
}

// Awk treats texts as gawk does in a UTF-8 locale. The installed awk may be mawk, which knows only
// bytes.
func TestAwkKnowsAllScripts(t *testing.T) {
	for text, want := range map[string]string{
		`echo 'État 世界' | awk '{print length, substr($0,2,3), index($0,"世"), toupper($1), match($0,/界/)}'`:               "7 tat 6 ÉTAT 7\n",
		`echo 'État 世界_1' | awk '{gsub(/[[:alpha:]]/,"a"); print}'`:                                                      "aaaa aa_1\n",
		`echo 'État БГ' | awk '{gsub(/[[:upper:]]/,"U"); gsub(/[^[:upper:] ]/,"l"); print}'`:                             "Ulll UU\n",
		`echo 'é世_1-ß' | awk '{n = gsub(/\w+/,"<&>"); print n, $0; print ("é" ~ /^\W$/), ("é\t" ~ /\S\s$/)}'`:            "2 <é世_1>-<ß>\n0 1\n",
		`awk 'BEGIN {r = "^[^[:space:]]+$"; print ("日本" ~ r), ("a b" ~ r), ("]" ~ /[]a]/), ("w" ~ /[\w]/)}'`:             "1 0 1 1\n",
		`echo 'é=世' | awk -F '[[:punct:]]' '{printf "%s %d [%3s][%.1s][%c]\n", $2, NF, $1, $2, $2}'`:                     "世 2 [  é][世][世]\n",
		`awk 'BEGIN {printf "%c%c\n", 19990, 233; print split("é世", a, ""), a[2], tolower("ÉΣ"), sprintf("%5s|", "é")}'`: "世é\n2 世 éσ     é|\n",
	} {
		if got, stderr := ours(t, t.TempDir(), text); got.stdout != want {
			t.Errorf("%s\ngot %q, %q; want %q", text, got.stdout, stderr, want)
		}
	}
}

// A word boundary would be one of ASCII words, so it is an error.
func TestAwkRefusesWordBoundaries(t *testing.T) {
	for _, text := range []string{`awk '/\<a/' x`, `awk '/a\y/' x`, `awk 'BEGIN {r = "a\\>"; print ("a" ~ r)}'`} {
		if got, stderr := ours(t, t.TempDir(), text); got.status != 2 || !strings.Contains(stderr, `the word boundaries \y, \< and \> are not supported in awk`) {
			t.Errorf("%s: status %d, %q", text, got.status, stderr)
		}
	}
}

// Regular expressions of jq know all scripts, as in the installed jq.
func TestJqKnowsAllScripts(t *testing.T) {
	bash := systemBash(t)
	testprogram.Path(t, "jq")
	filters := []string{
		`[match("\\w+";"g").string]`, `[match("\\d";"g").string]`, `[match("\\s";"g").length]`, `[match("\\b\\w";"g").string]`,
		`[match("[^\\W\\d]+";"g").string]`, `test("^\\w+\\b")`, `[match("\\B.";"g").offset]`, `[match("\\p{L}+";"g").string]`,
		`[match(".";"g").offset]`, `[scan("\\w+")]`, `[splits("\\W+")]`, `sub("(?<a>\\w)";"<\(.a)>")`, `[match("\\S+";"g").string]`,
		`ascii_downcase`, `ascii_upcase`, `.[1:3]`, `length`, `utf8bytelength`, `explode|implode`,
		`[match("(X)|(1)";"gi")|.captures[].string]`, `try test(1) catch "error"`,
	}
	var all strings.Builder
	for script, text := range texts {
		if script == "emoji" {
			continue // a joiner belongs to a word, as in ripgrep
		}
		all.WriteString("jq -nc --arg x '" + text + " x1' '$x|(" + strings.Join(filters, "),(") + ")'\n")
	}
	want, _ := theirs(t, bash, t.TempDir(), all.String())
	got, _ := ours(t, t.TempDir(), all.String())
	wants, gots := strings.Split(want.stdout, "\n"), strings.Split(got.stdout, "\n")
	for i := range wants {
		if i >= len(gots) || gots[i] != wants[i] {
			t.Errorf("line %d: got %s\nwant %s", i+1, gots[min(i, len(gots)-1)], wants[i])
		}
	}
}
