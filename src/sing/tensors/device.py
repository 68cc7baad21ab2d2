"""What tensors need to know of a device: its memory, its threads, its clock and its random numbers."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import torch

from sing.base.budget import Budget

# Of the memory that is free, for all that a phase holds at the same time: PyTorch rounds blocks up and keeps some.
_USABLE_SHARE = 0.7


def use_threads(count: int) -> None:
    """Compute on a CPU with so many threads, in this process from now on; PyTorch would take all cores."""
    if torch.get_num_threads() != count:
        torch.set_num_threads(count)


def free_bytes(device: torch.device, budget: Budget) -> int:
    """Memory for tensors: on a CPU what is left of the limit, elsewhere also what is free on the device."""
    free = budget.remaining_bytes
    if device.type == "cuda":
        free, _ = torch.cuda.mem_get_info(device)
    return int(_USABLE_SHARE * free)


@contextmanager
def full_memory_is_memory_error(device: torch.device) -> Iterator[None]:
    """Turns PyTorch's refusal of memory into MemoryError, whose text says where it was refused."""
    try:
        yield
    except torch.OutOfMemoryError:
        raise MemoryError(f"the memory of device '{device}' is full") from None
    except RuntimeError as error:
        if "allocate memory" not in str(error):  # so it is refused on a CPU
            raise
        raise MemoryError("there is no memory for tensors") from None


def wait_for(device: torch.device) -> None:
    """Until the device has done what it was given, so that the clock means something."""
    if device.type == "cuda":
        torch.cuda.synchronize(device)


def random_source(device: torch.device, seed: int, use: int) -> torch.Generator:
    """Random numbers made on the device: the same for one seed and one use, whatever else draws some."""
    mixed = (seed * 0x9E3779B97F4A7C15 + (use + 1) * 0xD1B54A32D192ED03) % 2**63
    return torch.Generator(device=device).manual_seed(mixed)
