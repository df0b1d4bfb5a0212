// Command gonum multiplies and decomposes matrices with gonum.
package main

import (
	"fmt"

	"github.com/wasmtool/wasmtool/bench/corpus/go/internal/driver"
	"gonum.org/v1/gonum/mat"
)

func main() { run() }

//go:wasmexport run
func run() {
	const n = 90
	values := make([]float64, n*n)
	for i := range values {
		values[i] = float64(i*7919%1000)/1000 + float64(i%(n+1)/n)
	}
	a := mat.NewDense(n, n, values)
	var product, inverse mat.Dense
	product.Mul(a, a.T())
	driver.Check(inverse.Inverse(&product))
	var svd mat.SVD
	svd.Factorize(a, mat.SVDFull)
	driver.Result(fmt.Append(nil, svd.Values(nil), mat.Norm(&product, 2)))
}
