// Command gojq queries facts about all countries with gojq.
package main

import (
	"encoding/json"

	"github.com/itchyny/gojq"
	"github.com/wasmtool/wasmtool/bench/corpus/go/internal/driver"
)

const query = `[.[] | {name: .name.common, languages: (.languages // {} | to_entries | map(.value)), area}]
	| group_by(.languages) | map({(.[0].languages | join(", ")): (map(.area) | add), n: (map(.name | ascii_downcase) | sort)})`

func main() { run() }

//go:wasmexport run
func run() {
	var countries any
	driver.Check(json.Unmarshal(driver.Load("countries.json"), &countries))
	parsed, err := gojq.Parse(query)
	driver.Check(err)
	code, err := gojq.Compile(parsed)
	driver.Check(err)
	value, _ := code.Run(countries).Next()
	err, _ = value.(error)
	driver.Check(err)
	out, err := gojq.Marshal(value)
	driver.Check(err)
	driver.Result(out)
}
