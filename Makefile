# Every chore has its door here. `make` alone lists them.

VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
LOCKER := .cache/lock
MODULES := web/node_modules/.package-lock.json
PAGE := src/actloop/page/index.html

# The first interpreter that is new enough; `make setup PYTHON=...` takes the one you name.
PYTHON ?= $(shell for python in python3 python3.14 python3.13 python3.12 python3.11; do \
	"$$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && { echo "$$python"; exit; }; \
	done; echo python3)

CHECKED = $(wildcard src tests examples bench scripts hatch_build.py)
PAGE_SOURCES = $(shell find web -name node_modules -prune -o -type f -print)

.DEFAULT_GOAL := help
.PHONY: help setup run chat test check page page-types browser screenshots bench bench-page format lock doctor

help: ## list what can be made
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{printf "  make %-11s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

setup: $(READY) ## make .venv with the pinned versions (quick when it is up to date)
	@:

$(READY): requirements.lock pyproject.toml
	@$(PYTHON) scripts/doctor.py --setup
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --disable-pip-version-check --require-hashes --no-deps -r requirements.lock
	$(BIN)/python -m pip install --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $@

run: setup page ## serve the page and open it (fetches the local model the first time)
	@$(BIN)/actloop models pull
	@$(BIN)/actloop serve --open

chat: setup ## talk to an agent in this terminal (fetches the local model the first time)
	@$(BIN)/actloop models pull
	@$(BIN)/actloop chat

test: check page browser ## every check and every test
	cd web && npm test
	$(BIN)/pytest -n auto

check: setup $(MODULES) ## lint, formatting, types and the layers
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy $(CHECKED)
	$(BIN)/lint-imports --no-logo --cache-dir .cache/import-linter
	cd web && npm run --silent check

page: $(PAGE) ## build the page (quick when it is up to date)
	@:

$(PAGE): $(MODULES) $(PAGE_SOURCES)
	cd web && npm run --silent build -- --logLevel warn
	@touch $@

$(MODULES): web/package-lock.json web/.npmrc
	@command -v npm >/dev/null || { \
		echo 'The page is built with Node 20 or newer (npm), which is missing; see make doctor. make chat does without.'; exit 1; }
	cd web && npm ci
	@touch $@

page-types: setup ## write the page's types from what the service says of itself
	$(BIN)/python -m scripts.page_types

browser: ## find a browser for the tests of the page (fetches Chromium on Debian, as root)
	@$(PYTHON) scripts/browser.py --install

screenshots: setup page browser ## take the pictures of the page that the documentation shows
	$(BIN)/python -m scripts.screenshots

bench: setup ## measure speed against a bare loop, what the context guard and the service cost (minutes; a quiet machine, please)
	$(BIN)/python -m bench.speed
	$(BIN)/python -m bench.context
	$(BIN)/python -m bench.service

bench-page: setup page browser ## measure the page in a browser: size, first picture, frames a second, keys
	$(BIN)/python -m bench.page

format: setup $(MODULES) ## format the code and mend what the linters can mend
	$(BIN)/ruff check --fix
	$(BIN)/ruff format
	cd web && npm run --silent format

lock: ## pin what pyproject.toml asks for in requirements.lock (UPGRADE=1 takes the newest of everything)
	@test -x $(LOCKER)/bin/uv || { $(PYTHON) -m venv $(LOCKER) && $(LOCKER)/bin/pip install --quiet 'uv>=0.13,<1'; }
	$(LOCKER)/bin/uv pip compile pyproject.toml --output-file requirements.lock --all-extras --group dev \
		--universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-emit-find-links \
		--custom-compile-command 'make lock' --quiet $(if $(UPGRADE),--upgrade)

doctor: ## say what this machine lacks
	@command -v $(PYTHON) >/dev/null || { echo 'Python 3.11 or newer is missing; everything else needs it.'; exit 1; }
	@$(PYTHON) scripts/doctor.py
