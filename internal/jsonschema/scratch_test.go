package jsonschema
import ("testing";"fmt";"strings";"time")
func TestScratch(t *testing.T) {
	rep := func(f string, n int) string { var p []string; for i:=0;i<n;i++ {p=append(p, strings.ReplaceAll(f,"@",fmt.Sprint(i)))}; return strings.Join(p,",") }
	for name, sc := range map[string]string{
		"props": object(rep(`"p@":{"type":"integer"}`, 4000)),
		"allOf": `{"type":"object","allOf":[`+rep(`{"properties":{"x@":{"type":"integer"}}}`,2000)+`]}`,
		"defs": object(rep(`"p@":{"$ref":"#/$defs/d@"}`,2000), `"$defs":{`+rep(`"d@":{"type":"string","default":"x"}`,2000)+`}`),
		"loose": object(rep(`"p@":{"$ref":"#/x/d@"}`,250), `"x":{`+rep(`"d@":{"type":"string"}`,250)+`},"$defs":{`+rep(`"d@":{"type":"string","default":"x"}`,3000)+`}`),
		"ids": object(rep(`"p@":{"$id":"x@"}`,4000)),
		"pats": object(rep(`"p@":{"pattern":"^a{900}@$"}`,110)),
		"chain": object(`"p":{"$ref":"#/$defs/d0"}`, doubling(4000, `NEXT`, `{}`)),
		"chain2": object(`"p":{"$ref":"#/$defs/d0"}`, doubling(1300, `{"allOf":[NEXT,NEXT]}`, `{}`)),
		"props2": `{"type":"object","allOf":[`+rep(`{"properties":{"a":{"properties":{"x@":{"type":"integer"}}}}}`,1300)+`]}`,
		"dyn": `{"$dynamicAnchor":"n","type":"object","properties":{`+rep(`"a@":{"$dynamicAnchor":"q@","$dynamicRef":"#n"}`,4000)+`}}`,
	} {
		st := time.Now(); _, err := Compile([]byte(sc)); e := fmt.Sprint(err); if len(e)>100 {e=e[:100]}
		fmt.Println(name, len(sc), time.Since(st), e)
	}
}
