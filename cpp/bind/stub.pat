# What tests alone use is left out of _core.pyi, which describes what the package uses.
^_core\.testing$:
