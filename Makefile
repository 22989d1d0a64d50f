# Everything a newcomer needs is `make demo` and `make test`.
PYTHON ?= python3
VENV := .venv
PIP := $(VENV)/bin/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt
PORT ?= 8000
NPM_PACKAGES := axe-core@4.14.1 typescript@5.9.3

.DEFAULT_GOAL := help
.PHONY: help demo test check format system clean

help: ## Show this list
	@grep -hE '^[a-z]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "make %-8s %s\n", $$1, $$2}'

demo: $(VENV)/.installed ## Install, create two sample courses, answer a question, serve the sidebar (PORT=8000)
	$(VENV)/bin/vta demo --port $(PORT) $(if $(CI),--no-open)

test: $(VENV)/.installed-for-tests $(VENV)/.npm ## Install what the tests need and run all of them
	$(VENV)/bin/python -m pytest

check: $(VENV)/.installed-for-tests ## Lint, types, import rule, and the built wheel in a clean environment
	$(VENV)/bin/ruff check .
	$(VENV)/bin/ruff format --check .
	$(VENV)/bin/mypy
	$(VENV)/bin/lint-imports
	$(VENV)/bin/python -m pytest tests/packaging -q

format: $(VENV)/.installed-for-tests ## Format the code
	$(VENV)/bin/ruff check --fix .
	$(VENV)/bin/ruff format .

system: ## Install Debian's packages that some tests use (browser, fonts, PostgreSQL, Redis, Maven, npm); needs root
	apt-get update -qq
	DEBIAN_FRONTEND=noninteractive apt-get install -y -qq chromium fonts-noto-cjk postgresql redis-server maven $$(command -v npm >/dev/null || echo npm)

clean: ## Remove the environment and the demo's data
	rm -rf $(VENV) .vta

$(VENV)/bin/python:
	$(PYTHON) -c 'import sys; assert (3, 11) <= sys.version_info < (3, 14), "Python 3.11, 3.12 or 3.13 is needed"'
	$(PYTHON) -m venv $(VENV)

$(VENV)/.installed: pyproject.toml constraints.txt | $(VENV)/bin/python
	$(PIP) --editable .
	@touch $@

$(VENV)/.installed-for-tests: pyproject.toml constraints.txt | $(VENV)/bin/python
	$(PIP) --editable '.[test,train,postgres,elasticsearch,redis,vectors]'
	@touch $@ $(VENV)/.installed

$(VENV)/.npm: Makefile | $(VENV)/bin/python
	@if command -v npm >/dev/null && npm install --silent --no-audit --no-fund --no-package-lock \
		--prefix $(VENV)/npm $(NPM_PACKAGES); then touch $@; \
	else echo "no $(NPM_PACKAGES): accessibility and the types of scripts are not proven"; fi
