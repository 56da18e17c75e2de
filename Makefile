# Latchkey's habits. `make help` lists them; each target first installs, or names, what the machine lacks.

SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help
.PHONY: help install uninstall demo test test-traits package interop-quick interop bench fuzz soak nightly docs format lint

# SwiftPM up to 6.3 passes a package's enabled traits to the compiler in the order of a set, another in each process, and what was built
# with another order is built anew (swift-package-manager#10525). With hashes that do not vary the order stays. Tests run without it.
export SWIFT_DETERMINISTIC_HASHING := 1
TESTED := env -u SWIFT_DETERMINISTIC_HASHING

# C and C++ are optimized in debug builds, too: BoringSSL derives a keychain's passcode in 0.4 s, without this in 3.4 s. Clang reads the
# variable, and SwiftPM does not: builds with and without it share their objects (docs/traps.md).
export CCC_OVERRIDE_OPTIONS := \# s/^-O0$$/-O2/

# Passed to `latchkey demo`, e.g. ARGS='--ssid 客厅 --password 口令口令'.
ARGS ?=
# How long each fuzz target runs, and how long the soak lasts.
FUZZ_SECONDS ?= 60
SOAK_SECONDS ?= 600

help: ## what can be made
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-14s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

demo: ## provision a virtual device, enroll it in the same session, and let it move money, step by step (ARGS='--ssid … --password …')
	@Scripts/install-needed build
	@swift build --product latchkey $(TRAITS:%=--traits %)
	@swift build --product latchkey-server $(TRAITS:%=--traits %)
	@"$$(swift build --show-bin-path)/latchkey" demo $(ARGS)

# The traits of what is built, which scripts read, too; CI and `make nightly` have all of them: TRAITS=default,TPM,PostgreSQL. With other
# traits than before, all is built again.
TRAITS ?=
ALL_TRAITS := default,TPM,PostgreSQL
export TRAITS
# Eight at once: with everything at once, tests of clocks and deadlines wait too long for their turn; and some 1 900 descriptors are
# open, where Foundation's Process reads past its listing of them from 1 340 on, and may crash. Tests that wait for programs hold the
# few threads that all tests share, and run behind the others.
PROGRAM_TESTS := ^latchkeyTests\.|^ExamplesTests\.
TRAIT_TESTS := LatchkeyEnclaveTPMTests|LatchkeyEnrollmentPostgresTests|EmptyDatabaseTests|ServicesOnPostgresTests
test: ## all Swift tests
	@Scripts/install-needed build
	@swift build --build-tests $(TRAITS:%=--traits %)
	@$(TESTED) SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH=8 Scripts/run-tests $(TRAITS:%=--traits %) --skip '$(PROGRAM_TESTS)|$(TRAIT_TESTS)'
	@$(TESTED) SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH=8 Scripts/run-tests $(TRAITS:%=--traits %) --filter '$(PROGRAM_TESTS)'

test-traits: ## the TPM engine on swtpm and the store on PostgreSQL, in a build with their traits; all modules as a release compiles them
	@Scripts/install-needed build tpm postgres
	@swift build --build-tests --traits $(ALL_TRAITS)
	@Scripts/check-whole-modules
	@$(TESTED) Scripts/with-postgres Scripts/run-tests --traits $(ALL_TRAITS) --filter '$(TRAIT_TESTS)'
	@Tests/Enrollment/attested
	@Tests/Enrollment/authority-in-tpm

interop-quick: ## the checks that CI runs: Bumble, Home Assistant's Improv client, the secure protocol in Python and in a browser, the enrollment protocol in Python, HAProxy and nginx
	@Scripts/install-needed build interop
	@swift build --product latchkey $(TRAITS:%=--traits %)
	@swift build --product latchkey-server $(TRAITS:%=--traits %)
	@Tests/Interop/run quick
	@Tests/Interop/web

interop: ## Bumble over every controller and buffer size; Improv's client; Espressif's tool where ESP_PROV and IDF_PATH name it; BlueZ, and the services that join networks, in a guest; others' PKCS #12 files; schemathesis against the server
	@Scripts/install-needed build interop server guest
	@swift build --build-tests $(TRAITS:%=--traits %)
	@Tests/Interop/run all
	@Tests/Interop/web
	@Tests/Interop/secure_machines --skip-build $(TRAITS:%=--traits %)
	@Tests/Formal/run
	@Tests/BlueZ/run
	@Tests/Wifi/run
	@Tests/Interop/pkcs12_vectors --skip-build $(TRAITS:%=--traits %)
	@Tests/Interop/schemathesis_run

bench: ## the figures, ours and the peers' in one run, release build
	@Scripts/install-needed build bench tpm postgres
	@Benchmarks/run

fuzz: ## each fuzz target for FUZZ_SECONDS (default 60), from its corpus and regressions
	@Scripts/install-needed build
	@Fuzzing/run $(FUZZ_SECONDS)

soak: ## the tests' long loops in full; then provision again and again for SOAK_SECONDS (default 600)
	@Scripts/install-needed build soak postgres server
	@LATCHKEY_SOAK=1 swift test $(TRAITS:%=--traits %) --filter 'LatchkeyBluetoothHostTests|TranscriptTests|ApprovalKeyCommandTests'
	@LATCHKEY_SOAK=1 SOAK_SECONDS=$(SOAK_SECONDS) swift test --skip-build $(TRAITS:%=--traits %) --filter '^LatchkeyProvisioning(Protocol)?Tests\.'
	@Scripts/soak-keychain
	@Scripts/soak-enrollment
	@swift build --product latchkey $(TRAITS:%=--traits %)
	@swift build --product latchkey-server $(TRAITS:%=--traits %)
	@Scripts/soak-idle
	@Scripts/soak-attacks memory
	@Scripts/soak-attacks logins
	@Scripts/soak-attacks all $(SOAK_SECONDS)
	@Scripts/soak-killed
	@Scripts/soak $(SOAK_SECONDS)

nightly: ## what takes too long for CI: all interoperation, each fuzz target for FUZZ_SECONDS, the soak, the shims, the porting tool, the package of a release, the image of a container, packages that depend on this one, the examples, and one of them broken
	@Scripts/install-needed tpm postgres
	@Scripts/check-shims
	@Scripts/check-porting
	@$(MAKE) --no-print-directory interop TRAITS=$(ALL_TRAITS)
	@$(MAKE) --no-print-directory fuzz TRAITS=$(ALL_TRAITS)
	@$(MAKE) --no-print-directory soak TRAITS=$(ALL_TRAITS)
	@$(MAKE) --no-print-directory package
	@Scripts/check-package
	@Scripts/install-needed container
	@BUILT=.build/release Scripts/check-container
	@env -u CCC_OVERRIDE_OPTIONS Scripts/check-consumers
	@env -u CCC_OVERRIDE_OPTIONS Scripts/check-examples
	@Scripts/check-sample-breaks
	@swift build

docs: ## the reference as a site of static files, in .build/docs
	@Scripts/install-needed build
	@Scripts/docs

# Where `make install` puts what it installs, and what it builds: CONFIGURATION=debug takes less time.
PREFIX ?= /usr/local
DESTDIR ?=
CONFIGURATION ?= release
# A release has Swift's runtime inside, and runs on a machine without Swift. A debug build is used as it is.
RUNTIME := $(if $(filter release,$(CONFIGURATION)),--static-swift-stdlib)
install: ## both programs, completions, manuals and the units of services below PREFIX (default /usr/local), in DESTDIR
	@Scripts/install-needed build
	@swift build --configuration $(CONFIGURATION) $(RUNTIME) $(TRAITS:%=--traits %) --product latchkey
	@swift build --configuration $(CONFIGURATION) $(RUNTIME) $(TRAITS:%=--traits %) --product latchkey-server
	@BUILT="$$(swift build --configuration $(CONFIGURATION) --show-bin-path)" Scripts/install-programs install

uninstall: ## remove what `make install` installed
	@Scripts/install-programs uninstall

package: ## a Debian package of both programs, in .build/package: release, or with CONFIGURATION=debug from what is built
	@Scripts/install-needed build package
	@swift build --configuration $(CONFIGURATION) $(RUNTIME) $(TRAITS:%=--traits %) --product latchkey
	@swift build --configuration $(CONFIGURATION) $(RUNTIME) $(TRAITS:%=--traits %) --product latchkey-server
ifeq ($(CONFIGURATION),debug)
	@Scripts/link-programs .build/linked
	@BUILT=.build/linked COMPRESSION=gzip COMPRESSION_LEVEL=1 Scripts/make-package
else
	@BUILT="$$(swift build --configuration $(CONFIGURATION) --show-bin-path)" Scripts/make-package
endif

format: ## format all Swift
	@Scripts/check-format format

lint: ## format, imports, sans-I/O cores, and the state of the tree, without compiling
	@Scripts/lint
