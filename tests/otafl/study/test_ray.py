"""Studies on Ray's own test cluster: several nodes on this machine, one of which is lost."""

import threading

import pytest

from otafl.errors import OtaflError
from otafl.study.engines.engine import StudyContext
from otafl.study.engines.ray import Ray
from tests.otafl.engine.test_networks import run

ray = pytest.importorskip("ray", reason="needs Ray, which the extra ray brings")
cluster_utils = pytest.importorskip("ray.cluster_utils", reason="needs Ray's test cluster")

KEYS = {"method": ["A-SFADMM", "FedAvg"], "run.seeds": 3, "run.iterations": 3, "uplink.kind": "analog"}


@pytest.fixture
def cluster():
    made = cluster_utils.Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
    ray.init(address=made.address, log_to_driver=False)
    yield made
    ray.shutdown()
    made.shutdown()


@pytest.mark.slow
def test_a_lost_node_is_no_loss(cluster, tmp_path):
    lost = []
    node = cluster.add_node(num_cpus=1)

    def lose(label: str, done: int, total: int) -> None:
        if done and not lost:
            lost.append(cluster.remove_node(node, allow_graceful=False))

    assert run(KEYS, out=tmp_path, engine=Ray(), progress=lose).equals(run(KEYS))
    assert lost


@pytest.mark.slow
def test_the_cluster_of_the_environment_is_taken(cluster, tmp_path, monkeypatch):
    ray.shutdown()
    monkeypatch.setenv("RAY_ADDRESS", cluster.address)
    engine = Ray()
    engine.begin(StudyContext(lambda *_: None, threading.Event(), 1, [], tmp_path))
    assert ray.get_runtime_context().gcs_address == cluster.address
    engine.end()


def test_needs_that_cannot_be():
    with pytest.raises(OtaflError, match="cpus_per_task = 0: must be at least 1"):
        Ray(cpus_per_task=0)
    with pytest.raises(OtaflError, match=r"gpus_per_task = -1\.0: must not be negative"):
        Ray(gpus_per_task=-1.0)


@pytest.mark.parametrize(("address", "told"), [("127.0.0.1:1", None), (None, "127.0.0.1:1"), (None, "nonsense")])
def test_a_cluster_that_is_not_there(address, told, tmp_path, monkeypatch):
    """By an address that is given, or by RAY_ADDRESS."""
    monkeypatch.setenv("RAY_ADDRESS", told or "127.0.0.1:2")
    with pytest.raises(OtaflError, match=f"address = '{address or told}': must be the address of a Ray cluster"):
        run(KEYS, out=tmp_path / "out", engine=Ray(address))
    assert not (tmp_path / "out").exists()
