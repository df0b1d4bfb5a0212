module qr-code

go 1.26.5

require github.com/wasmtool/wasmtool/guest v0.0.0

// A tool outside of this repository needs the path of a clone; 'wasmtool new --abi reactor' writes it.
replace github.com/wasmtool/wasmtool/guest => ../../guest
