# What contributors and CI run. 'make check' is everything but the tests.

# Tools, pinned; go run fetches and caches them.
GOFUMPT     := mvdan.cc/gofumpt@v0.12.0
STATICCHECK := honnef.co/go/tools/cmd/staticcheck@v0.8.2

# Other systems that must keep building, each with what it guards.
CROSS := \
	linux/amd64 linux/arm64 \
	darwin/amd64 darwin/arm64 \
	windows/amd64 windows/arm64

# The modules beside the main one.
MODULES := guest guest-examples bench

FUZZTIME ?= 10s

.PHONY: all check format vet lint tidy layout cross generated guests languages test fuzz bench soak

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

# Import directions, exported engine types, package comments.
layout:
	go test ./internal/layout

cross:
	@for target in $(CROSS); do \
		echo "build $$target"; \
		GOOS=$${target%/*} GOARCH=$${target#*/} CGO_ENABLED=0 go build ./... || exit 1; \
	done

# The built-in tools that are committed are those that their sources give.
generated:
	cd guest-examples && go run ./internal/build -check

# Rebuild the built-in tools after a change in guest-examples.
guests:
	cd guest-examples && go run ./internal/build

# The same for the examples and canaries in C, Rust and AssemblyScript; installs their
# compilers.
languages:
	guest-examples/testlang/build.sh -check

test:
	go test ./...
	@for m in $(MODULES); do echo "go test $$m"; (cd $$m && go test ./...) || exit 1; done

# Compare with other systems, in one run: installs them, takes about ten minutes on a
# quiet machine, and prints the tables of docs/performance.md. BENCH holds flags, such
# as --quick.
bench:
	bench/run.sh $(BENCH)

# The mixed load of internal/enginetest for longer than in 'make test'.
SOAK ?= 10m
soak:
	WASMTOOL_SOAK=$(SOAK) go test ./internal/enginetest -run Soak -v -count=1 -timeout 0

# A short run of each fuzz target that CI repeats.
fuzz:
	go test -run '^$$' -fuzz '^FuzzDecode$$' -fuzztime $(FUZZTIME) ./manifests
	go test -run '^$$' -fuzz '^FuzzPrepare$$' -fuzztime $(FUZZTIME) ./internal/jsonschema
	go test -run '^$$' -fuzz '^FuzzLoad$$' -fuzztime $(FUZZTIME) ./runtime
	go test -run '^$$' -fuzz '^FuzzExtismKernel$$' -fuzztime $(FUZZTIME) ./runtime
	go test -run '^$$' -fuzz '^FuzzRewrite$$' -fuzztime $(FUZZTIME) ./runtime/rewrite
	go test -run '^$$' -fuzz '^FuzzResolve$$' -fuzztime $(FUZZTIME) ./hostfuncs
