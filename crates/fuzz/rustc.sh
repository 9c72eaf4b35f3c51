#!/bin/sh
# Cargo's RUSTC_WRAPPER for scripts/fuzz.mjs: crates of this project are built to be watched, those of others as they always are, which is quicker.
case "$CARGO_PKG_NAME" in
  snugfit-*) exec "$@" $SNUGFIT_FUZZ_FLAGS ;;
  *) exec "$@" ;;
esac
