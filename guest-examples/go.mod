module github.com/wasmtool/wasmtool/guest-examples

go 1.26.5

require (
	github.com/bmatcuk/doublestar/v4 v4.10.4
	github.com/itchyny/gojq v0.12.17
	github.com/pelletier/go-toml/v2 v2.4.3
	github.com/wasmtool/wasmtool/guest v0.0.0
	github.com/yuin/goldmark v1.8.7
	go.yaml.in/yaml/v4 v4.0.0
	golang.org/x/text v0.44.0
)

require github.com/itchyny/timefmt-go v0.1.9 // indirect

replace github.com/wasmtool/wasmtool/guest => ../guest
