module github.com/wasmtool/wasmtool/guest-examples

go 1.26.5

require (
	github.com/JohannesKaufmann/html-to-markdown/v2 v2.5.2
	github.com/bmatcuk/doublestar/v4 v4.10.4
	github.com/pelletier/go-toml/v2 v2.4.3
	github.com/wasmtool/wasmtool/guest v0.0.0
	golang.org/x/net v0.62.0
	golang.org/x/text v0.44.0
)

require github.com/JohannesKaufmann/dom v0.3.1 // indirect

replace github.com/wasmtool/wasmtool/guest => ../guest
