"""Metrics: functions of a round that become variables of results, those that come with otafl and the user's own."""

from otafl.metrics import worker_accuracy  # which registers its metrics
from otafl.metrics.registry import REGISTERED, Metric, metric
from otafl.metrics.round_record import NotRecorded, RoundRecord
