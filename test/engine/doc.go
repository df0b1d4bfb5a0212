// Package engine tests the promises of the whole runtime, for new and reused instances: no call
// sees what another call left behind (TestCanary, TestRawCanary), hostile guests are stopped
// (TestHostile), and nothing leaks under mixed load (TestSoak). The TestDetector tests check that
// the canaries find the leaks of an engine that reuses instances wrongly. The canaries are in
// testdata/canary.
//
// By default the short forms run, without the soak. The long forms are:
//
//	WASMTOOL_TESTS=long go test -race -run Canary -count=1 -v ./test/engine
//		WASMTOOL_CANARY_TIMES=10        multiplies the 20,000 calls
//		WASMTOOL_CANARY_SEED=1          repeats the seed that a failure reported
//	WASMTOOL_TESTS=timing go test -run TestTimingOfHostile -count=1 -v ./test/engine
//	WASMTOOL_TESTS=long go test -run Soak -count=1 -v -timeout 0 ./test/engine
//		WASMTOOL_SOAK=10m               sets the duration, 5s by default. With -v it reports
//		                                the resources of the process every 10 s
package engine
