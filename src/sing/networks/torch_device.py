"""PyTorch, where it is installed, and its devices by name."""

from __future__ import annotations

from sing.base.errors import InputError
from sing.base.extras import how_to_install

try:
    import torch
except ImportError:
    raise InputError(f"this needs PyTorch; install it {how_to_install('torch')}") from None

__all__ = ["find_device", "torch"]


def find_device(name: str) -> torch.device:
    """The device of that name. Raises InputError where it cannot compute here, or has no memory left."""
    try:
        device = torch.device(name)
        float(torch.zeros(1, device=device))
    except torch.OutOfMemoryError:
        raise InputError(f"the memory of device '{name}' is full: other programs use it") from None
    except (RuntimeError, AssertionError, NotImplementedError) as error:
        reason = str(error).splitlines()[0].rstrip(".")
        raise InputError(
            f"PyTorch has no device '{name}' here: {reason}; on the processor, --device cpu does the same"
        ) from None
    return device
