# SPDX-License-Identifier: Apache-2.0
#
# The front door. `make demo` shows Remora at work, `make test` checks it, `make help` lists the rest.
# A target installs what it lacks first (see scripts/install-deps): `build` and `install` only what the build needs,
# targets that run tests also the test servers and cargo.

PREFIX ?= /usr/local
DESTDIR ?=
BUILD ?= build
RUNS ?= 3000
SECONDS ?= 60
MINUTES ?= 30
HOURS ?= 1
SEED ?= 1
PYTHON := .venv/bin/python
# Sanitizers and DocC need programs of the toolchain, even if only swift itself is linked in a folder of PATH.
export PATH := $(PATH)$(addprefix :,$(patsubst %/,%,$(dir $(shell readlink -f "$$(command -v swift)"))))

.DEFAULT_GOAL := build
.PHONY: help build-deps demo-deps deps build demo demo-rollout test-programs check test test-all bench fleet lint format docs docs-api install clean deb wheel crates dist release \
  campaign-exit campaign-fork campaign-python campaign-delivery campaign-stress campaign-chaos simulate simulate-faults soak fuzz sanitize

help:
	@grep -E '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /\1\t/' | expand -t 16

build-deps:
	@scripts/install-deps build

demo-deps:
	@scripts/install-deps demo

deps: build-deps
	@scripts/install-deps test

build: build-deps ## the library, the tool, the examples and the test programs, in build/
	@[ -f $(BUILD)/build.ninja ] || cmake -S . -B $(BUILD) -G Ninja -DCMAKE_BUILD_TYPE=Release
	@cmake --build $(BUILD)

demo: demo-deps ## a published collection, an edit, a program that is notified, and the cache
	@[ -f $(BUILD)/build.ninja ] || cmake -S . -B $(BUILD) -G Ninja -DCMAKE_BUILD_TYPE=Release
	@cmake --build $(BUILD) --target remora_cli example_watch example_get
	@scripts/demo

demo-rollout: demo-deps ## a bad version crashes a service, whose health check rejects it; the service heals
	@[ -f $(BUILD)/build.ninja ] || cmake -S . -B $(BUILD) -G Ninja -DCMAKE_BUILD_TYPE=Release
	@cmake --build $(BUILD) --target remora_cli example_rollout
	@PYTHONPATH=Tests python3 -m Servers.demo_rollout $(BUILD)

test-programs: deps build ## what the tests need besides: the test programs of Swift and Rust
	@swift build --build-tests
	@REMORA_LIB_DIR=$(abspath $(BUILD)) CARGO_TARGET_DIR=$(abspath $(BUILD))/cargo \
	  cargo test --quiet --offline --workspace --no-run --manifest-path bindings/rust/Cargo.toml

check: ## all of it, as continuous integration runs it: test, then test-all
	@.ci/run

test: test-programs ## each behaviour once, with one closing line
	@$(PYTHON) scripts/test

test-all: test-programs ## the rest: sanitizers, campaigns, other builds, long cases
	@$(PYTHON) scripts/test --all

bench: deps build ## Remora beside a hand-rolled client, in paired rounds
	@cmake --build $(BUILD) --target benchmarks
	@$(PYTHON) benchmarks/run.py --build $(BUILD)

fleet: deps build ## 100,000 simulated clients, and 200 real ones behind a cache; writes docs/fleet.md
	@cmake --build $(BUILD) --target benchmark_fleet
	@$(PYTHON) benchmarks/fleet.py --build $(BUILD) --save

lint: deps build ## checks formats, types, layers, declarations, and the symbols and size of the library
	@$(PYTHON) scripts/test --lint

format: deps ## lays out Swift, C, C++ and Python
	@scripts/check-format --fix

.venv-site/requirements.txt: site/requirements.txt
	@echo "installing the Python packages of the site in .venv-site"
	@python3 -m venv --clear .venv-site
	@.venv-site/bin/python -m pip install --quiet --disable-pip-version-check --no-deps --requirement $<
	@cp $< $@

docs: .venv-site/requirements.txt ## the site in build/docs/html, which needs no server, and man pages in build/docs/man
	@.venv-site/bin/python site/build.py

docs-api: build-deps ## the reference of the Swift API, which `make docs` then includes; builds for minutes
	@site/make-swift-docs

install: build ## library, header, tool, pkg-config and CMake packages, below DESTDIR/PREFIX
	@cmake -DCMAKE_INSTALL_PREFIX="$(PREFIX)" $(BUILD) >/dev/null
	@cmake --build $(BUILD)
	@DESTDIR="$(DESTDIR)" cmake --install $(BUILD)

deb: build ## the Debian packages libremora0, libremora-dev, remora-tools and python3-remora, in build/dist
	@scripts/make-deb $(BUILD)

wheel: deps build ## the Python wheel remora-settings, with the library inside, in build/dist
	@scripts/make-wheel $(BUILD)

crates: deps ## the Rust crates remora-sys, remora, remora-serde, remora-log and remora-tokio, in build/dist
	@scripts/make-crates $(BUILD)

dist: deps build ## all packages, the sources, and the list of components, with SHA256SUMS, in build/dist
	@scripts/make-dist $(BUILD)

release: deps ## checks that VERSION=x.y.z is ready, then makes dist and the Git tags; DRY_RUN=1 makes no tag
	@$(PYTHON) scripts/make-release $(if $(DRY_RUN),--dry-run) --build $(BUILD) $(or $(VERSION),missing)

clean: ## removes what was built; .venv and .venv-site stay
	rm -rf $(BUILD) .build .build-thread* .build-address* .build-abi-* .build-fuzz .build-growth

campaign-exit: deps build ## RUNS hosts that exit under a request (default 3000)
	@$(PYTHON) Tests/ABI/Campaigns/exit_in_flight.py $(BUILD)/tests $(RUNS)

campaign-fork: deps build ## RUNS children of a host that refreshes (default 3000)
	@$(PYTHON) Tests/ABI/Campaigns/fork_refresh.py $(BUILD)/tests $(RUNS)

campaign-python: deps build ## RUNS Python programs that subscribe and end (default 3000)
	@PYTHONPATH=bindings/python/src:Tests REMORA_LIBRARY=$(BUILD)/libremora.so $(PYTHON) Tests/Hosts/python_exits.py $(RUNS)

campaign-delivery: build ## callbacks that are withdrawn while they begin, for SECONDS (default 60)
	@$(BUILD)/tests/races_campaign $(SECONDS)

campaign-stress: build ## eight threads that call everything, alone and in four processes, for SECONDS each (default 60)
	@$(BUILD)/tests/stress $(SECONDS) 1 4

campaign-chaos: build ## threads that close things against each other, for SECONDS in each of three builds (default 60)
	@$(BUILD)/tests/chaos $(SECONDS)
	@scripts/check-abi-sanitized address optimized --chaos $(SECONDS)
	@scripts/check-abi-sanitized thread optimized --chaos $(SECONDS)

simulate: build ## worlds of simulated processes from SEED on, for MINUTES (default 30)
	@SWIFT_DETERMINISTIC_HASHING=1 $(BUILD)/tests/remora-simulate --seed $(SEED) --minutes $(MINUTES)

simulate-faults: build-deps ## plants faults in a copy of the core, which the simulation must find
	@scripts/plant-faults

soak: deps build ## programs that share a directory, and a server with faults, for HOURS (default 1); writes docs/soak.md
	@$(PYTHON) Tests/Soak/run.py --hours $(HOURS) --save

fuzz: deps ## mutated documents, images, filters and chains, SECONDS for each target (default 60)
	@$(PYTHON) scripts/fuzz $(SECONDS)

sanitize: deps ## the tests of the core and of the C API under two sanitizers each, in debug and optimized builds
	@$(PYTHON) scripts/test $(foreach build,debug optimized,$(foreach name,thread address, \
	  --only core-$(name)-$(build) --only abi-$(name)-$(build)))
