package manifests

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

func FuzzDecode(f *testing.F) {
	files, err := filepath.Glob("testdata/bad/*.toml")
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	for _, text := range []string{"", minimal, head + "[mcp]\nserver = \"s\"\ntool = \"t\"", head + "[rest]\nurl = \"{u}\"\nmethod = \"{m}\"\n[[permissions.net]]\nurl = \"any\"\n[parameters]\ntype = \"object\"\nrequired = [\"u\", \"m\"]\nproperties = { u = {}, m = { enum = [1, \"GET\"] } }", "a=[[[[[", "[a.b]\n[[a]]", "a = {b = 1, b = 2}", "x = '''\n'''y", minimal + "[parameters]\n\"$ref\" = \"#\"", minimal + `permissions.fs = [{mount = "w", mode = "read"}]`, minimal + `permissions.net = [{url = "https://*.example.com/a", methods = ["PUT"], secrets = [{name = "A", header = "B", prefix = "C"}]}]`, minimal + `limits = { fuel = 5_0000, open_files = 0x1 }`, warmHead + "warm = { limit = \"1\", deep = {} }", exampleHead + "[[examples]]\ntitle = \"a\"\narguments = { text = \"b\" }\nbefore = [{}, 1]\nfiles = { \"data:x/y\" = \"\" }\nafter = { x = \"\" }\ngone = [\"..\"]\nnow = \"2026-01-31T15:04:05Z\"\nerror = \"trap\"", exampleHead + "[[examples]]\ntitle = \"a\"\narguments = { text = \"b\" }\nseed = 7\nsecrets = { TOKEN = \"test-token\" }\nstore = { a = \"\" }\nstore_after = {}\n[[examples.http]]\nmethod = \"POST\"\nurl = \"https://a.example/?q\"\nsends = { headers = { A = \"b\" }, body = { x = 1 } }\nbody = { a = 1 }\n[[examples.http]]\nurl = \"http://a.example\"\nbody_file = \"x\""} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := Decode("tool.toml", data)
		if err == nil {
			again := mustDecode(t, string(data))
			if !reflect.DeepEqual(withoutSchemas(*m), withoutSchemas(*again)) {
				t.Errorf("decoding twice gives %+v and %+v", m, again)
			}
			return
		}
		var errs Errors
		if !errors.As(err, &errs) || len(errs) == 0 {
			t.Fatalf("error %v is no Errors", err)
		}
		lines := strings.Split(string(data), "\n")
		for _, e := range errs {
			if e.Message == "" || strings.ContainsAny(e.Error(), "\n\x1b") {
				t.Errorf("bad text: %q", e.Error())
			}
			if e.Line == 0 && e.Column == 0 {
				continue
			}
			if e.Line < 1 || e.Line > len(lines) || e.Column < 1 || e.Column > len([]rune(lines[e.Line-1]))+1 {
				t.Errorf("%v is not in the file", e)
			}
		}
	})
}

// withoutSchemas replaces the schemas, which cannot be compared, with their JSON.
func withoutSchemas(m Manifest) []any {
	var texts []string
	if m.Parameters != nil {
		texts = append(texts, string(m.Parameters.JSON()))
	}
	if m.Result != nil {
		texts = append(texts, string(m.Result.JSON()))
	}
	m.Parameters, m.Result = nil, nil
	return []any{m, texts}
}
