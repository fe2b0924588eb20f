"""Studies on Ray's own test cluster: several nodes on this machine, one of which is lost."""

import pytest

from otafl.errors import OtaflError
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


def test_needs_that_cannot_be():
    with pytest.raises(OtaflError, match="cpus_per_task = 0: must be at least 1"):
        Ray(cpus_per_task=0)
    with pytest.raises(OtaflError, match=r"gpus_per_task = -1\.0: must not be negative"):
        Ray(gpus_per_task=-1.0)


def test_a_cluster_that_is_not_there(tmp_path):
    with pytest.raises(OtaflError, match="must be the address of a Ray cluster"):
        run(KEYS, out=tmp_path / "out", engine=Ray("127.0.0.1:1"))
    assert not (tmp_path / "out").exists()
