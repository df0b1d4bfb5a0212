module github.com/wasmtool/wasmtool/guest

go 1.26.5
