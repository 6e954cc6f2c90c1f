# Every target makes its own .venv when it needs one.
VENV := .venv
BIN := $(VENV)/bin
PYTHON ?= python3
STAMP := $(VENV)/.installed
RUNTIME := $(VENV)/.runtime
PYTEST := PYTHONDONTWRITEBYTECODE= $(BIN)/python -m pytest -n 4 --dist loadfile --no-loadscope-reorder

# The first target: what plain `make` does.
help:  ## list the targets
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /\1\t/' | expand -t 16

.PHONY: help lock release demo test test-long check check-coverage mutate bench bench-replicas escalation battery attack train torture screenshots format clean

demo: $(RUNTIME)  ## a local Slack workspace with the bot in it: make demo ARGS="--port 9000"
	@$(BIN)/triage demo $(ARGS)

test: $(STAMP)  ## the tests: make test ARGS="-k gate"
	@$(PYTEST) -m "not long" $(ARGS)

test-long: $(STAMP)  ## the other rows of long tables, more in a browser, more of the demo
	@$(PYTEST) -m long $(ARGS)

check: $(STAMP)  ## format, lint, types, imports, manifest, files of deployment
	@$(BIN)/ruff format --check --quiet .
	@$(BIN)/ruff check --quiet .
	@$(BIN)/mypy
	@$(BIN)/lint-imports --no-logo
	@$(BIN)/python scripts/check_manifest.py
	@$(BIN)/python scripts/check_deployment.py
	@$(BIN)/python scripts/licences.py --check
	@$(BIN)/python scripts/commands_page.py --check
	@$(BIN)/python scripts/command_json_page.py --check
	@$(BIN)/python scripts/settings_page.py --check

check-coverage: $(STAMP)  ## run the tests of the decisions and of the evidence check; fails if they miss a branch
	@PYTHONDONTWRITEBYTECODE= $(BIN)/python -m coverage run -m pytest -m "not long" tests/decide tests/agents $(ARGS)
	@$(BIN)/python -m coverage report --include='bot/decide/*,bot/agents/evidence.py' --fail-under=100

mutate: $(STAMP)  ## change decisions bit by bit, list what no test notices: make mutate ARGS="'bot.decide.gate*'"
	@test -x $(BIN)/mutmut || $(PYTHON) scripts/install.py --dev mutmut==3.8.1
	@nice $(BIN)/mutmut run --max-children 1 $(ARGS)
	@$(BIN)/mutmut results | grep -v ': not checked' || true

lock: $(STAMP)  ## write all pins and their digests, with uv: make lock ARGS=--upgrade
	@$(BIN)/python scripts/lock.py $(ARGS)
	@$(BIN)/python scripts/licences.py

release: $(STAMP)  ## build wheel and sdist twice, compare them, and write the bill of materials into dist/
	@$(BIN)/python scripts/release.py

screenshots: $(STAMP)  ## take the pictures of docs/ from a running workspace
	@$(BIN)/python scripts/screenshots.py

bench: $(STAMP)  ## measure what the documents claim; figures go to the screen
	@$(BIN)/python -m measure.speed
	@$(BIN)/python -m measure.imports_bench
	@$(BIN)/python -m measure.classify
	@$(BIN)/python -m measure.sandbox
	@$(BIN)/python -m measure.keyword.measure
	@$(BIN)/python -m measure.keyword.bounces
	@$(BIN)/python -m measure.index_bench
	@$(BIN)/python -m measure.reliability_bench
	@$(BIN)/python -m measure.load_bench
	@$(BIN)/python -m measure.classifier_bench
	@$(BIN)/python -m measure.evidence_bench
	@$(BIN)/python -m measure.agents_bench
	@$(BIN)/python -m measure.cache
	@$(BIN)/python -m measure.commands_bench
	@$(BIN)/python -m measure.windows_bench
	@$(BIN)/python -m measure.presses_bench
	@$(BIN)/python -m measure.burst_bench
	@$(BIN)/python -m measure.hints_bench
	@$(BIN)/python -m measure.escalations_bench
	@$(BIN)/python -m measure.health_bench
	@$(BIN)/python -m measure.auto_reply

bench-replicas: $(STAMP)  ## what replicas on PostgreSQL cost beside the bot on files: make bench-replicas ARGS=--short
	@$(BIN)/python -m measure.replicas.bench $(ARGS)

escalation: $(STAMP)  ## watch a question go through all three tiers, with a scripted model: make escalation ARGS="--stay"
	@$(BIN)/python -m measure.escalation $(ARGS)

battery: $(STAMP)  ## every fault of a model's server, four minutes: make battery ARGS="--only quotes"
	@$(BIN)/python -m measure.battery $(ARGS)

attack: $(STAMP)  ## try to break what docs/security.md promises: make attack ARGS="repositories --count 50"
	@$(BIN)/python -m measure.attack $(ARGS)

train: $(STAMP)  ## make the classifier's weights from labelled messages, and show how good they are
	@$(BIN)/python -m measure.train $(ARGS)

torture: $(STAMP)  ## kills and faults of every kind, about twenty minutes: make torture ARGS="--kills 100 --seed 7"
	@$(BIN)/python -m measure.torture $(ARGS)

format: $(STAMP)  ## write the code and the generated pages as `make check` wants them
	@$(BIN)/python scripts/commands_page.py
	@$(BIN)/python scripts/command_json_page.py
	@$(BIN)/python scripts/settings_page.py
	@$(BIN)/ruff format --quiet .
	@$(BIN)/ruff check --quiet --fix .

clean:  ## remove the environment and all caches
	rm -rf $(VENV) .cache .mypy_cache .pytest_cache .ruff_cache .import_linter_cache

# The runtime is enough for the demo; the developers' tools are six times as large.
$(RUNTIME): pyproject.toml requirements.txt
	@$(PYTHON) scripts/install.py
	@touch $@

$(STAMP): pyproject.toml requirements-dev.txt
	@$(PYTHON) scripts/install.py --dev
	@touch $(RUNTIME) $@
