"""The trainer of the core."""

from __future__ import annotations

import time

from sing import _core
from sing.base.budget import Budget
from sing.networks.training import EpochLoss, Layers, OnProgress, TrainingConfig, TrainingNews, TrainingResult

_STATUS = {
    _core.TrainingStatus.CONVERGED: "converged",
    _core.TrainingStatus.MAX_EPOCHS: "max_epochs",
    _core.TrainingStatus.OUT_OF_TIME: "out_of_time",
    _core.TrainingStatus.INTERRUPTED: "interrupted",
}


def train(
    dataset: _core.Dataset,
    config: TrainingConfig,
    seed: int,
    budget: Budget,
    on_progress: OnProgress,
    start: Layers | None = None,
) -> TrainingResult:
    """See `sing.networks.train.train`."""
    start_s = time.monotonic()

    def poll(progress: _core.TrainingProgress) -> bool:
        elapsed_s = time.monotonic() - start_s
        on_progress(TrainingNews(progress.num_epochs, progress.num_samples / elapsed_s, _losses(progress.losses)))
        return not budget.interrupted

    core_start = None if start is None else _core.Mlp(list(start))
    result = _core.train(
        dataset, config.to_core(seed), time_limit_s=budget.remaining_s, progress=poll, start=core_start
    )
    time_s = time.monotonic() - start_s
    return TrainingResult(
        layers=tuple(result.mlp.layers),
        status=_STATUS[result.status],
        losses=_losses(result.losses),
        best_epoch=result.best_epoch,
        num_samples=len(dataset),
        num_reseeds=result.num_reseeds,
        is_constant=result.is_constant,
        samples_per_s=result.num_samples / time_s if time_s > 0 else 0.0,
        time_s=time_s,
    )


def _losses(pairs: list[tuple[float, float]]) -> tuple[EpochLoss, ...]:
    return tuple(EpochLoss(training, validation) for training, validation in pairs)
