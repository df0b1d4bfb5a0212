// Package engine holds the tests of what the engine as a whole promises, whichever
// way it comes by an instance: that no call sees what another left (TestCanary,
// TestRawCanary), that hostile guests end (TestHostile), and that nothing leaks under
// mixed load (TestSoak). TestDetector tests show that the canaries find what an engine
// leaks that reuses instances wrongly. The canaries are in testdata/canary.
//
// The short forms run with all other tests, but for the soak. The long forms:
//
//	WASMTOOL_TESTS=long go test -race -run Canary -count=1 -v ./test/engine
//		WASMTOOL_CANARY_TIMES=10        as many times the 20,000 calls
//		WASMTOOL_CANARY_SEED=1          the seed that a failure named, else from the clock
//	WASMTOOL_TESTS=timing go test -run TestTimingOfHostile -count=1 -v ./test/engine
//	WASMTOOL_TESTS=long go test -run Soak -count=1 -v -timeout 0 ./test/engine
//		WASMTOOL_SOAK=10m               for how long; 5s without. With -v it tells every
//		                                10 s what the process holds
package engine
