module github.com/wasmtool/wasmtool/guest-examples

go 1.26.5

require (
	github.com/bmatcuk/doublestar/v4 v4.10.4
	github.com/pelletier/go-toml/v2 v2.4.3
	github.com/wasmtool/wasmtool/guest v0.0.0
	golang.org/x/text v0.44.0
)

require github.com/rivo/uniseg v0.4.7

replace github.com/wasmtool/wasmtool/guest => ../guest
