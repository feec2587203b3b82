# Everything a developer runs. `make help` lists it; .ci/run calls the same targets.
SHELL := /bin/bash
.DEFAULT_GOAL := help
GO ?= go
VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)
LDFLAGS := -s -w -X main.version=$(VERSION)
TOOL := $(GO) tool -modfile=tools/go.mod
PACKAGES := ./cmd/... ./internal/... ./bench/... ./test/...

.PHONY: help
help: ## List the targets
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | awk -F':.*## ' '{printf "  make %-11s %s\n", $$1, $$2}'

.PHONY: build
build: ## Build bin/tarn
	$(GO) build -trimpath -ldflags '$(LDFLAGS)' -o bin/tarn ./cmd/tarn

.PHONY: demo
demo: build ## Make a sample lake, let it drift, repair it, query it
	./bin/tarn demo ./mylake

.PHONY: test
test: build ## Run all tests that need nothing but Go and a C compiler
	TARN_BIN=$(CURDIR)/bin/tarn $(GO) test $(PACKAGES)

.PHONY: race
race: ## Run the tests of the concurrent packages under the race detector
	$(GO) test -race ./internal/catalog/... ./internal/scan/... ./internal/storage/... ./internal/repair/... ./internal/write/... ./internal/exec/...

.PHONY: crash-steps
crash-steps: ## Stop writes in process at every step there is, instead of at a sample (some fifteen minutes)
	TARN_LONG_TESTS=1 $(GO) test -count=1 -timeout 2h ./internal/write/

.PHONY: lint
lint: ## Formatting, vet and staticcheck
	@test -z "$$($(TOOL) gofumpt -l cmd internal bench test)" || { $(TOOL) gofumpt -d cmd internal bench test; exit 1; }
	$(GO) vet $(PACKAGES)
	$(TOOL) staticcheck $(PACKAGES)

.PHONY: fuzz
fuzz: ## Fuzz every decoder and parser (FUZZTIME each, default 30s)
	./test/fuzz.sh $(or $(FUZZTIME),30s)

.PHONY: crash
crash: build ## Kill the binary in the middle of its writes, N times (default 1000), and check what is left (SEED repeats a run)
	TARN_BIN=$(CURDIR)/bin/tarn $(GO) test ./test/crash -run 'TestRandom|TestProcesses' -count=1 -timeout=0 -v -crash.n=$(or $(N),1000) $(if $(SEED),-crash.seed=$(SEED))

.PHONY: bench
bench: build ## Compare with find, bfs, Spark, DuckDB, pyarrow, polars and delta-rs in one run (SIZES, ROUNDS)
	./bench/run.sh

.PHONY: interop
interop: build ## Compare with real Spark and delta-rs (needs Python 3, Java 17 and Maven; makes .venv)
	./test/interop/run.sh

.PHONY: golden
golden: build ## Spark's own SQL suites, 6,850 expressions and TPC-DS/TPC-H, against what agreed before (needs Python 3)
	./test/golden/run.sh

.PHONY: golden-delta
golden-delta: build ## Read public Delta tables below DIR="…" and compare (needs Python 3; zstd for archives)
	python3 ./test/golden-delta/run.py ./bin/tarn $(DIR)

.PHONY: golden-floor
golden-floor: build ## Raise the floor of the golden files to what agrees now, and drop exceptions that agree
	./test/golden/run.sh floor

.PHONY: clean
clean: ## Remove what the other targets made
	rm -rf bin .venv mylake
