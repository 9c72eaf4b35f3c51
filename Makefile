# Thin over npm and cargo. From nothing but Node and Rust: `make demo`, `make test`.

# The build that the TypeScript tests and the demo use: quick to make, close to the release. `make build PROFILE=release` is the one that ships.
PROFILE ?= ci

# Property tests draw the same cases each time, so that a red run can be repeated; set another seed to look further.
export PROPTEST_RNG_SEED ?= 20261130

.PHONY: help demo test reliability ready setup build format lint docs clean

help:
	@echo 'make demo    set up, build, and run the main job against a real MCP server'
	@echo 'make test    set up, build, and run every test, Rust and TypeScript'
	@echo 'make reliability  what takes long: soaks of host and proxy, property tests with many cases, the addon under AddressSanitizer, crates as packaged, fuzzing'
	@echo 'make ready   format, lint, test, docs: what a change must pass'
	@echo 'make build   the addon and the command into npm/<platform>/, the TypeScript into dist/'

demo: build
	node examples/demo.mjs

test: build
	cargo test --workspace --locked --no-fail-fast
	npm test

# The short forms are part of `make test`. MINUTES is how long the proxy runs.
MINUTES ?= 60

reliability: build
	node soak/host.mjs
	node soak/proxy.mjs --seconds $$(($(MINUTES) * 60))
	PROPTEST_CASES=10000 cargo test --profile ci --locked -p snugfit-engine -p snugfit-recovery -p snugfit-toolset
	node scripts/sanitize.mjs
	cargo package --workspace --exclude snugfit-bench --locked
	node scripts/fuzz.mjs

ready: format lint test docs

setup: node_modules/.package-lock.json

node_modules/.package-lock.json: package.json package-lock.json
	@node -e 'if (parseInt(process.versions.node) < 20) throw new Error(`Node 20 or newer is needed, this is $${process.version}`)'
	@cargo --version >/dev/null || { echo 'Rust 1.91 or newer is needed: https://rustup.rs' >&2; exit 1; }
	npm ci --no-audit --no-fund
	@touch $@

build: setup
	npm run build:native -- --profile $(PROFILE)
	npm run build:ts

format: setup
	cargo fmt --all
	npm run format

lint: build
	cargo fmt --all --check
	cargo clippy --workspace --all-targets --locked -- -D warnings
	npm run lint
	node scripts/check-arrows.mjs
	node scripts/licenses.mjs --check
	$(if $(shell command -v cargo-deny),cargo deny --offline check licenses bans sources,@echo 'no cargo-deny: licences and sources of dependencies are not checked')
	$(if $(filter ci,$(PROFILE)),node scripts/count-instructions.mjs)

docs:
	RUSTDOCFLAGS='-D warnings' cargo doc --workspace --no-deps --locked

clean:
	cargo clean
	rm -rf node_modules dist npm/*/bin npm/*/snugfit.node
