"""Solves many tasks in one process and tells whether its memory grows.

    python fuzz/growth.py [--solves 1000]

Every solve takes the next of the committed SAS tasks and the next of the configurations. After the first fifth all of
them have run and the allocator has what it needs; memory is compared with that.
"""

from __future__ import annotations

import argparse
import gc
import itertools
import sys

from fuzzer import CORPUS
from sas_fuzzer import CONFIGS

import sing
from sing.base.budget import current_memory_bytes

# What the allocator may keep for itself.
_MAX_GROWTH_BYTES = 2 << 20


def memory_while_solving(num_solves: int) -> list[int]:
    """Resident bytes after each solve."""
    tasks = sorted((CORPUS / "sas").glob("*/task.sas"))
    # Neither number divides the other, so that every task meets every configuration.
    pairs = zip(itertools.cycle(tasks), itertools.cycle([*CONFIGS.values(), sing.CONFIGS["chorus"]]), strict=False)
    resident = []
    for number, (task, config) in enumerate(itertools.islice(pairs, num_solves)):
        sing.solve(task, config=config, seed=number, time_limit_s=5, memory_limit_bytes=1 << 30, jobs=1 + number % 2)
        gc.collect()
        resident.append(current_memory_bytes())
    return resident


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--solves", type=int, default=1000)
    options = parser.parse_args()
    resident = memory_while_solving(options.solves)
    before, after = max(resident[: options.solves // 5]), resident[-1]
    print(
        f"{options.solves} solves: {before >> 10:,} KiB at most in the first fifth, {after >> 10:,} KiB after the last"
    )
    if after > before + _MAX_GROWTH_BYTES:
        sys.exit(f"memory grew by {after - before >> 10:,} KiB")


if __name__ == "__main__":
    main()
