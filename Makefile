# surrealdb-memory. `make help` lists the targets.

VERSION  ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)
# When the source was committed, or now if it was changed since, in seconds: of two builds of one version the later serves.
STAMP    ?= $(shell test -z "$$(git status --porcelain 2>&1)" && git log -1 --format=%ct || date +%s)
LDFLAGS  := -s -w -X main.version=$(VERSION) -X main.stamp=$(STAMP)
GOBUILD  := go build -ldflags '$(LDFLAGS)'
TOOLS    := .build/tools
# Tests wait for programs and timers: more packages at a time than processors, if these are few.
AT_ONCE  := $(shell n=$$(getconf _NPROCESSORS_ONLN) && test "$$n" -gt 3 && echo "$$n" || echo 3)
LONGEST  := ./pkg/cli ./apps/memoryd ./pkg/daemon/intake ./pkg/consolidate ./pkg/daemon/... ./pkg/store/surreal
TARGETS  := linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64 windows/arm64

# Everything is compiled in one way, that of a release, so that what one target has compiled the next one finds; only the
# race detector needs its own. Tests are vetted by make check. Programs and tests are linked without debug data, so none is
# compiled; and a compiler that collects its garbage above a gigabyte only needs a fifth less time.
export CGO_ENABLED := 0
export GOFLAGS     := $(strip $(shell go env GOFLAGS) -trimpath -vet=off -gcflags=all=-dwarf=false '-toolexec=env GOGC=off GOMEMLIMIT=1GiB')

# A program with the race detector waits a second at its end for reports of goroutines that still run. Tests start many,
# and end theirs: goleak looks.
export GORACE ?= atexit_sleep_ms=10

# Tests write many small files, and wait for the disk at each: they do so in memory, where it has the room and may run programs.
IN_MEMORY := $(shell d=/dev/shm; test -w $$d && test "$$(df -Pk $$d | awk 'END { print $$4 }')" -gt 6000000 && ! grep -q " $$d .*noexec" /proc/mounts && echo $$d)
test race: export TMPDIR := $(or $(IN_MEMORY),$(TMPDIR),/tmp)
test race: export MEMORY_TEST_PROGRAMS := $(CURDIR)/plugin/libexec

# One installation of the embedded engine (24 MB) for all homes that demo, tests and benchmarks make.
export MEMORY_ENGINE_DIR ?= $(CURDIR)/.build/engine

.DEFAULT_GOAL := help
.PHONY: help build engine demo test race walkthroughs chaos e2e ui check cross bench bench-large bench-recall release install-test clean sum

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / { printf "  %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

build: ## build the plugin's programs into plugin/libexec
	@mkdir -p plugin/libexec
	$(GOBUILD) -o plugin/libexec/ ./apps/memory ./apps/memoryd ./apps/memory-mcp ./apps/hooks/...

engine: build ## install the embedded SurrealDB into .build/engine (needs Node.js, once)
	@plugin/libexec/memoryd --install-engine

demo: engine ## replay a recorded two-session story through the real programs
	@go run ./scripts/demo

# Each package is compiled once, and the packages that run longest start first: a run ends with short ones.
test: engine ## run all tests on one real engine; those of the store on every engine that is here
	@mkdir -p .build && go build -o .build/ ./scripts/testengine
	.build/testengine -- go test -p $(AT_ONCE) -timeout 20m $(LONGEST) ./... ./apps/bench/...
	.build/testengine --others -- go test -run 'Conformance|Migrat|Schema|Index|Backup|Value' -skip OutgrowsSmallBuffers ./pkg/store/surreal ./pkg/store/surreal/storetest

race: engine ## run the tests of the packages in which goroutines share memory with the race detector; ALL=1 runs all tests
	@mkdir -p .build && go build -o .build/ ./scripts/testengine ./scripts/testpackages
	.build/testengine -- env CGO_ENABLED=1 go test -race -p $(AT_ONCE) -timeout 40m $(if $(ALL),./... ./apps/bench/...,$$(.build/testpackages))

walkthroughs: engine ## follow the walk-throughs of CONTRIBUTING.md in a copy of the tree, and run every command that a text names
	go test -count=1 -timeout 30m -v ./scripts/walkthroughs -follow
	go test -count=1 -timeout 20m -run TestEveryNamedCommandRuns ./pkg/cli -shown

chaos: engine ## kill hooks, daemon and engine at 1,000 random instants, plant other faults, and write what came of it into docs/promises.md; then the other trials of daemon and engine, 1,000 exchanges of two machines, and 10,000 writes of two daemons
	@mkdir -p .build && go build -o .build/testengine ./scripts/testengine
	go test -count=1 -timeout 60m -v -run TestChaos ./apps/memoryd -chaos.points 1000 -chaos.table $(CURDIR)/docs/promises.md
	go test -count=1 -timeout 60m -v -skip '^TestChaos$$' ./apps/memoryd -chaos.points 1000 -sync.points 1000
	.build/testengine -- go test -count=1 -timeout 20m -v ./pkg/consolidate -rapid.checks 100
	.build/testengine -- go test -count=1 -timeout 90m -v -run TestAYear ./pkg/consolidate -year.months 12
	go test -count=1 -timeout 20m -v -run TestNothingHidden ./pkg/hook/hooks -rapid.checks 100
	.build/testengine -- go test -count=1 -timeout 60m -v -run 'TestARebuiltStoreIs|TestInjectionsKeep|TestTheDashboardShows|TestAnyOrderOf|TestMachinesThat|TestATurnIsOne|TestHoweverEvents' ./pkg/daemon ./pkg/daemon/answers ./pkg/daemon/briefing ./pkg/daemon/distiller ./pkg/daemon/intake ./pkg/ingest -rapid.checks 300
	.build/testengine --others -- go test -count=1 -timeout 20m -v -run TestTwoDaemonsLoseNothing ./pkg/store/surreal -conflicts.writes 10000

e2e: engine ## drive the real Claude Code client through whole sessions, against a fake API on loopback
	go test -tags e2e -count=1 -timeout 30m -v -skip '^TestInstalling$$' ./scripts/e2e/...

ui: engine ## drive the dashboard in headless Chromium (installs Debian's package as root if none is here); PICTURES=1 takes the pictures of docs/getting-started.md again
	@command -v chromium chromium-browser google-chrome >/dev/null || { [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null && apt-get update -qq && apt-get install -y -qq chromium; } \
		|| { echo "make ui needs Chromium: install it (Debian: apt-get install chromium), or run this as root on Debian" >&2; exit 1; }
	cd scripts/ui && GOWORK=off go vet -tags ui . && GOWORK=off go test -tags ui -count=1 . $(if $(PICTURES),-pictures $(CURDIR)/docs/img/dashboard)

# Each pass looks at everything once: the linter has vet's analyzers, too, and of the files for another system only the
# packages are vetted that have some.
check: $(TOOLS)/lint $(TOOLS)/gofumpt $(TOOLS)/deadcode ## format, vet and lint, who imports whom, dead code, and tidy
	@found=$$($(TOOLS)/gofumpt -d apps migrations pkg schema scripts) && test -z "$$found" || { echo "$$found"; exit 1; }
	go vet -vettool=$(CURDIR)/$(TOOLS)/lint -tags e2e -depguard.file=$(CURDIR)/.golangci.yml -depguard.sum=$$(cksum < .golangci.yml | cut -d ' ' -f 1) ./... ./apps/bench/...
	GOOS=darwin go vet $$(git ls-files '*_darwin.go' '*_other*.go' | sed 's|^|./|; s|/[^/]*$$||' | sort -u)
	@found=$$($(TOOLS)/deadcode -test -tags e2e ./...) && test -z "$$found" || { echo "$$found"; exit 1; }
	go mod tidy -diff
	for module in apps/bench scripts/ui scripts/tools; do (cd $$module && GOWORK=off go mod tidy -diff) || exit 1; done

cross: ## build every program for linux, macOS and Windows, amd64 and arm64, into .build/cross
	@for target in $(TARGETS); do echo "$$target"; \
		GOOS=$${target%/*} GOARCH=$${target#*/} $(GOBUILD) -o .build/cross/$$target/ ./apps/memory ./apps/memoryd ./apps/memory-mcp ./apps/hooks/... || exit 1; \
	done

bench: engine ## measure hooks at rest and under work, ingest, memory, pages, maintenance of 10,000 memories, and recall; DATASET=DIR measures recall on those sets too
	cd apps/bench && go run . hooks --runs 50 --memories 1000 --store 5000
	cd apps/bench && go run . hooks --runs 20 --cold-runs 1 --memories 200 --store 1000 --under-work 50
	cd apps/bench && go run . ingest --memories 10000 --project 10000
	cd apps/bench && go run . dashboard --memories 1000 --store 5000
	cd apps/bench && go run . consolidate --memories 10000
	cd apps/bench && go run . consolidate --alike --memories 1000 --memories 4000 --changed 500
	cd apps/bench && go run . recall-gate --dataset ../../testdata/recall/coding $(if $(DATASET),--dataset $(abspath $(DATASET)))

bench-large: engine ## measure stores of 100,000 and 200,000 memories; its maintenance alone takes more than 20 minutes
	cd apps/bench && go run . hooks --runs 50 --memories 10000 --store 200000
	cd apps/bench && go run . ingest --memories 35000 --project 10000
	cd apps/bench && go run . consolidate
	cd apps/bench && go run . consolidate --alike --memories 10000 --memories 100000

bench-recall: ## print recall beside plain BM25 and fail where it is below; DATASET=DIR adds sets, REALSESSIONS=DIR labelled real sessions, lived again
	cd apps/bench && go run . recall-gate --pairs --dataset ../../testdata/recall/coding $(foreach set,$(DATASET),--dataset $(abspath $(set))) $(foreach set,$(REALSESSIONS),--sessions $(abspath $(set)))
	$(if $(REALSESSIONS),cd apps/bench && go run . recall-sessions --today $(foreach set,$(REALSESSIONS),--sessions $(abspath $(set))))

release: ## make the files of a release in .build/release/VERSION, each time the same: make release VERSION=x.y.z
	go run ./scripts/release --version "$(VERSION)" --stamp "$$(git log -1 --format=%ct)" --out ".build/release/$(VERSION)" $(if $(ONLY),--only $(ONLY))

install-test: engine ## make a release of each system twice, or of all platforms (ALL=1), upgrade from one to the next, and install one with the real client from loopback: with Node, with git only, with faults
	go test -count=1 -timeout 20m -v -run TestInstallForReal ./pkg/store/engine -download
	go test -count=1 -timeout 40m -v ./scripts/release -release $(if $(ALL),-all)
	go test -tags e2e -count=1 -timeout 30m -v ./scripts/e2e -run '^TestInstalling$$'

clean: ## remove what was built and installed
	rm -rf .build plugin/libexec scripts/e2e/client/node_modules scripts/e2e/client-old/node_modules scripts/e2e/client-codex/node_modules

sum: ## bring migrations/migrations.sum up to date after writing a migration
	go test ./migrations -update

$(TOOLS)/%: scripts/tools/go.mod scripts/tools/go.sum scripts/tools/lint/main.go
	@mkdir -p $(TOOLS)
	cd scripts/tools && GOWORK=off go build -o $(CURDIR)/$(TOOLS)/ tool ./lint
	@touch $(TOOLS)/*
