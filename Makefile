# `make run` opens the app, `make test` tests it; both set up everything they need in .venv.
# Another Python: make PYTHON=python3.12

PYTHON ?= python3
VENV ?= .venv
ARGS ?=
OUT ?= screenshots

# A network that falters is asked again; what the environment says already is kept.
export PIP_RETRIES ?= 7
export PIP_DEFAULT_TIMEOUT ?= 60
export PIP_DISABLE_PIP_VERSION_CHECK ?= 1
export PIP_NO_INPUT ?= 1

py := $(VENV)/bin/python
pip := $(py) -m pip install --constraint packaging/constraints.txt
pins := pyproject.toml packaging/constraints.txt
offscreen := QT_QPA_PLATFORM=offscreen

.PHONY: run test check format translations bench endurance profile screenshots pictures
.PHONY: bundle deb wheel icons clean help
.DELETE_ON_ERROR:

run: $(VENV)/.installed $(VENV)/.libraries ## open the app
	@$(py) -m chatty_desktop $(ARGS) || { status=$$?; \
	    [ $$status -ne 2 ] || echo "From this folder: xvfb-run -a make run" \
	        "or $(VENV)/bin/chatty-desktop --help" >&2; exit $$status; }

test: $(VENV)/.installed-dev $(VENV)/.libraries-tests ## run every test
	$(offscreen) $(py) -m pytest $(ARGS)

check: $(VENV)/.installed-dev ## format, lint and types
	$(py) -m ruff format --check .
	$(py) -m ruff check .
	$(py) -m mypy

format: $(VENV)/.installed-dev ## put the code into its format
	$(py) -m ruff format .
	$(py) -m ruff check --fix .

translations: $(VENV)/.installed-dev ## bring resources/translations up to date with the code
	$(py) packaging/translations.py

bench: $(VENV)/.installed-dev $(VENV)/.libraries-tests ## measure the budgets
	$(offscreen) $(py) -m tests.bench $(ARGS)

endurance: $(VENV)/.installed-dev $(VENV)/.libraries-tests ## a day of use in ten minutes, and what it leaves behind
	$(offscreen) $(py) -m tests.endurance $(ARGS)

profile: $(VENV)/.installed-dev $(VENV)/.libraries-tests ## where the time of a bench goes, into profile.svg
	@test -x $(VENV)/bin/py-spy || $(pip) ".[bench]"
	$(offscreen) $(VENV)/bin/py-spy record --subprocesses --nonblocking --output profile.svg -- \
	    $(py) -m tests.bench $(ARGS)

screenshots: $(VENV)/.installed-dev $(VENV)/.libraries-tests ## pictures of every view, into OUT
	$(offscreen) $(py) -m tests.ui.screenshots $(OUT)

pictures: $(VENV)/.installed-dev $(VENV)/.libraries-tests ## those of the README and the guide, anew
	$(offscreen) $(py) -m tests.ui.pictures $(ARGS)

bundle: $(VENV)/.installed-build ## a folder that runs without Python, into dist/ (STARTER=no)
	$(py) packaging/bundle/build.py $(if $(filter no,$(STARTER)),--without-starter)

deb: bundle ## a package for Debian and Ubuntu of it, into dist/
	$(py) packaging/linux/deb.py

wheel: $(VENV)/.builder ## a wheel and an sdist, into dist/
	$(py) -m hatchling build -d dist

icons: $(VENV)/.installed-dev ## draw packaging/icons from the SVG
	$(py) packaging/icons.py

clean: ## remove what these commands made; the app's own data stays
	rm -rf $(VENV) build dist screenshots .pytest_cache .mypy_cache .ruff_cache .hypothesis

help: ## this list
	@sed -n 's/^\([a-z]*\):.*## /\1\t/p' Makefile

# Each stamp says that a step is done, and is left only by one that went well.

$(VENV)/.made: packaging/venv.sh
	packaging/venv.sh "$(PYTHON)" $(VENV)
	@touch $@

# The build tool first, so that it is the pinned one that builds.
$(VENV)/.builder: $(VENV)/.made $(pins)
	$(pip) hatchling
	@touch $@

$(VENV)/.installed: $(VENV)/.builder $(pins)
	$(pip) --no-build-isolation --editable ".[starter]"
	@touch $@

$(VENV)/.installed-dev: $(VENV)/.builder $(pins)
	$(pip) --no-build-isolation --editable ".[starter,postgres,dev,build]"
	@touch $@ $(VENV)/.installed $(VENV)/.installed-build

$(VENV)/.installed-build: $(VENV)/.builder $(pins)
	$(pip) --no-build-isolation --editable ".[starter,build]"
	@touch $@ $(VENV)/.installed

$(VENV)/.libraries: $(VENV)/.made packaging/qt-libraries.sh
	packaging/qt-libraries.sh $(py)
	@touch $@

$(VENV)/.libraries-tests: $(VENV)/.made packaging/qt-libraries.sh
	packaging/qt-libraries.sh $(py) --tests
	@touch $@ $(VENV)/.libraries
