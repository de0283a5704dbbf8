# `make run` sets everything up and starts the app; `make test` sets everything up and runs every check.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

.PHONY: run test lint benchmarks clean

run: $(VENV)/app.ready
	$(BIN)/streamlit run app.py

test: $(VENV)/dev.ready lint
	sh scripts/chromium.sh
	sh scripts/typescript.sh
	$(BIN)/python -m pytest -n 2 --dist loadgroup

lint: $(VENV)/dev.ready
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports

benchmarks: $(VENV)/dev.ready
	for script in benchmarks/bench_*.py; do echo "== $$script"; $(BIN)/python $$script || exit 1; done

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/app.ready: requirements.txt | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements.txt
	touch $@

$(VENV)/dev.ready: requirements.txt requirements-dev.txt | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements-dev.txt
	touch $(VENV)/app.ready $@

clean:
	rm -rf $(VENV) node_modules static/vendor
