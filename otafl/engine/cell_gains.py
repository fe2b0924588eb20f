"""Mean path gains of a run's workers in a cell, and the one at which a worker has the SNR."""

from otafl.channels import fading
from otafl.channels.cell import Drop
from otafl.channels.errors import ParameterError
from otafl.errors import OtaflError
from otafl.numerics import seeds
from otafl.settings.keys import Settings
from otafl.uplinks.physical_layer import cell


def drop(settings: Settings, seed: int) -> Drop:
    """Return the positions and mean path gains of a run's workers in the cell, which do not depend on the fading."""
    try:
        return cell(settings).drop(seeds.generator(seed, "places"), settings.federation.workers)
    except ParameterError as error:
        raise OtaflError("cell.most_loss_db", settings.cell.most_loss_db, error.rule) from None


def weakest_db(settings: Settings, seed: int) -> float | None:
    """Return the weakest mean path gain over that of ``channel.snr_db`` [dB]; None: only a fading model knows it."""
    if settings.cell.radius_m:
        dropped = drop(settings, seed)
        return float(dropped.gain_db.min()) - reference_db(settings, dropped)
    known = settings.cell.snr_at == "worst" or not fading.FADING[settings.channel.fading].costly
    return 0.0 if known else None


def reference_db(settings: Settings, drop: Drop) -> float:
    """Return the path gain [dB] at which a worker has ``channel.snr_db``: at the edge, the median or the worst."""
    if settings.cell.snr_at == "worst":
        return float(drop.gain_db.min())
    whole = cell(settings)
    return whole.edge_gain_db if settings.cell.snr_at == "edge" else whole.median_gain_db
