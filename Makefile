# Everything a newcomer needs is `make demo` and `make test`.
PYTHON ?= python3
VENV := .venv
PIP := $(VENV)/bin/python -m pip install --quiet --disable-pip-version-check
# what the lock file names, checked by hash, then this project itself
INSTALL = $(PIP) --require-hashes --requirement $(1) && $(PIP) --no-deps --editable .
PORT ?= 8000
COURSES ?= .vta-bench
NPM_PACKAGES := axe-core@4.14.1 typescript@5.9.3
GENERATOR := openapi-python-client==0.29.1
RELEASE_TOOLS := build==1.6.1 cyclonedx-bom==7.5.0 uv==0.13.9
# beside what pyproject.toml needs by itself: what a school's server talks to
SERVICES := --extra postgres --extra elasticsearch --extra redis --extra otel --extra s3
PINS = $(VENV)/release/bin/uv pip compile pyproject.toml --quiet --universal --python-version 3.11 --generate-hashes --no-strip-extras \
	--no-emit-index-url --no-annotate --no-header $(UPGRADE)
# one process more than processors: browsers and servers of the tests have processes of their own
PROCESSES := $(shell getconf _NPROCESSORS_ONLN | awk '{print ($$1 < 7 ? $$1 : 7) + 1}')
PYTEST = $(VENV)/bin/python -m pytest --numprocesses $(PROCESSES) --dist loadfile --no-loadscope-reorder
HEAVY := browser or server or train or slow
PROFILE ?= quick
SITE ?= site
VERSION := $(shell sed -n 's/^__version__ = "\(.*\)"/\1/p' vta/__init__.py)
SPHINX = $(VENV)/bin/python -m sphinx --quiet --fresh-env --fail-on-warning --keep-going --conf-dir docs --doctree-dir $(SITE)/.doctrees

.DEFAULT_GOAL := help
.PHONY: help docs measured figures pins release demo test test-all test-rest nightly coverage check lint wheel format system deploy-tools clean

help: ## Show this list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "make %-12s %s\n", $$1, $$2}'

demo: $(VENV)/.installed ## Install, create two sample courses, answer a question, serve the sidebar (PORT=8000)
	$(VENV)/bin/vta demo --port $(PORT) $(if $(CI),--no-open)

test: $(VENV)/.installed-for-tests ## Run the tests that need no browser, server or training, and say which were left out
	$(PYTEST) --hypothesis-profile $(PROFILE) -m 'not ($(HEAVY)) and not packaging'

test-all: $(VENV)/.installed-for-all-tests $(VENV)/.npm $(VENV)/.generator ## Run all tests with all examples, those that need Chromium, Java, PostgreSQL, Redis or torch included
	$(PYTEST) -m 'not packaging'

test-rest: $(VENV)/.installed-for-all-tests $(VENV)/.npm $(VENV)/.generator ## Run what `make test` leaves out
	$(PYTEST) -m '($(HEAVY)) and not packaging'

nightly: ## Run all tests with 200 rounds of kills and 2,000 orders of what may be withheld
	VTA_TEST_KILL_ROUNDS=200 ORDERS=2000 $(MAKE) test-all

coverage: $(VENV)/.installed-for-tests ## Run `make test` and count the branches of the core that it takes
	$(PYTEST) --hypothesis-profile $(PROFILE) -m 'not ($(HEAVY)) and not packaging' \
		$(addprefix --cov ,vta intent knowledge concept_graph prompts) --cov-branch --cov-report term

check: lint wheel ## Lint, types, import rule, and the built wheel in a clean environment

lint: $(VENV)/.installed-for-tests
	$(VENV)/bin/ruff check .
	$(VENV)/bin/ruff format --check .
	$(VENV)/bin/mypy
	$(VENV)/bin/lint-imports

wheel: $(VENV)/.installed-for-tests
	$(VENV)/bin/python -m pytest tests/packaging -q

format: $(VENV)/.installed-for-tests ## Format the code
	$(VENV)/bin/ruff check --fix .
	$(VENV)/bin/ruff format .

system: ## Install Debian's packages that some tests use (browser, fonts, PostgreSQL, Redis, Maven, npm); needs root
	apt-get update -qq
	DEBIAN_FRONTEND=noninteractive apt-get install -y -qq chromium fonts-noto-cjk postgresql redis-server maven $$(command -v npm >/dev/null || echo npm)

deploy-tools: $(VENV)/.installed-for-tests ## Bring helm (built by Go) and promtool (Debian's) into .venv: with them the files in deploy/ are checked
	$(PIP) 'kubernetes-validate>=1.33'
	GOBIN=$(abspath $(VENV))/bin go install helm.sh/helm/v3/cmd/helm@v3.22.0
	@# promtool out of Debian's package, which would also start a Prometheus
	cd $(VENV) && apt-get download -qq prometheus && dpkg -x prometheus_*.deb promtool && cp promtool/usr/bin/promtool bin/

pins: $(VENV)/.release ## Write requirements/: what pyproject.toml needs by role, pinned and hashed (UPGRADE=--upgrade for newer ones)
	$(PINS) --extra test $(SERVICES) --extra vectors --extra train --extra models --extra docs --output-file requirements/train.txt
	$(PINS) --extra test $(SERVICES) --extra vectors --constraint requirements/train.txt --output-file requirements/test.txt
	$(PINS) --extra docs --constraint requirements/train.txt --output-file requirements/docs.txt
	$(PINS) $(SERVICES) --constraint requirements/train.txt --output-file requirements/run.txt

release: $(VENV)/.release ## Build wheel, sdist, the list of what runs in it (CycloneDX) and checksums into dist/
	rm -rf dist && $(VENV)/release/bin/python -m build --outdir dist
	$(VENV)/release/bin/cyclonedx-py requirements --pyproject pyproject.toml --output-file dist/sbom.json requirements/run.txt
	cd dist && sha256sum * >SHA256SUMS

docs: $(VENV)/.installed-for-docs ## Write the documentation as a site, in site/VERSION
	$(SPHINX)/en . $(SITE)/$(VERSION)
	$(SPHINX)/zh --tag zh docs/zh $(SITE)/$(VERSION)/zh

measured: $(VENV)/.installed ## Write docs/measured.md from the records in docs/runs
	$(VENV)/bin/python -m benchmarks.measured

figures: $(VENV)/.installed-for-tests ## Repeat the figures that need no private data: the public set, guard and intent on it (fetches the courses)
	$(VENV)/bin/python -m benchmarks bench $(COURSES)
	$(VENV)/bin/python -m benchmarks.measured

clean: ## Remove the environment and the demo's data
	rm -rf $(VENV) .vta

$(VENV)/bin/python:
	$(PYTHON) -c 'import sys; assert (3, 11) <= sys.version_info < (3, 15), "Python 3.11 to 3.14 is needed"'
	$(PYTHON) -m venv $(VENV)

$(VENV)/.installed: pyproject.toml requirements/run.txt | $(VENV)/bin/python
	$(call INSTALL,requirements/run.txt)
	@touch $@

$(VENV)/.installed-for-tests: pyproject.toml requirements/test.txt | $(VENV)/bin/python
	$(call INSTALL,requirements/test.txt)
	@touch $@ $(VENV)/.installed

$(VENV)/.installed-for-docs: pyproject.toml requirements/docs.txt | $(VENV)/bin/python
	$(call INSTALL,requirements/docs.txt)
	@touch $@

$(VENV)/.installed-for-all-tests: $(VENV)/.installed-for-tests requirements/train.txt
	$(call INSTALL,requirements/train.txt)
	@touch $@

$(VENV)/.release: Makefile | $(VENV)/bin/python
	$(PYTHON) -m venv $(VENV)/release
	$(VENV)/release/bin/pip install --quiet --disable-pip-version-check $(RELEASE_TOOLS)
	@touch $@

$(VENV)/.generator: Makefile | $(VENV)/bin/python
	@if $(PYTHON) -m venv $(VENV)/generator && $(VENV)/generator/bin/pip install --quiet --disable-pip-version-check \
		$(GENERATOR); then touch $@; else echo "no $(GENERATOR): that a client can be generated is not proven"; fi

$(VENV)/.npm: Makefile | $(VENV)/bin/python
	@if command -v npm >/dev/null && npm install --silent --no-audit --no-fund --no-package-lock \
		--prefix $(VENV)/npm $(NPM_PACKAGES); then touch $@; \
	else echo "no $(NPM_PACKAGES): accessibility and the types of scripts are not proven"; fi
