"""Studies on Ray's own test cluster: several nodes on this machine, one of which is lost."""

import pytest

import otafl
from otafl.errors import OtaflError
from otafl.study.engines.ray import Ray
from tests.otafl.engine.test_networks import DIGITS, run

ray = pytest.importorskip("ray", reason="needs Ray, which the extra ray brings")
cluster_utils = pytest.importorskip("ray.cluster_utils", reason="needs Ray's test cluster")

KEYS = {"method": ["A-SFADMM", "FedAvg"], "run.seeds": 3, "run.iterations": 3, "uplink.kind": "analog"}


@pytest.fixture
def cluster():
    """A node with a core, to which others can be added."""
    made = cluster_utils.Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
    ray.init(address=made.address, log_to_driver=False)
    yield made
    ray.shutdown()
    made.shutdown()


@pytest.mark.slow
def test_a_lost_node_is_no_loss(cluster, tmp_path):
    """Its runs are computed elsewhere, and all equal those of this process bit for bit."""
    lost = []
    node = cluster.add_node(num_cpus=1)

    def lose(label: str, done: int, total: int) -> None:
        if done and not lost:
            lost.append(cluster.remove_node(node, allow_graceful=False))

    assert run(KEYS, out=tmp_path, engine=Ray(), progress=lose).equals(run(KEYS))
    assert lost


@pytest.mark.slow
def test_sixty_runs_on_three_nodes_of_which_one_is_lost(cluster, tmp_path):
    lost = []
    nodes = [cluster.add_node(num_cpus=1) for _ in range(2)]
    keys = DIGITS | {"method": ["A-SFADMM", "FedAvg"], "channel.snr_db": [0.0, 10.0, 20.0], "run.seeds": 10}
    keys |= {"uplink.kind": "analog"}

    def lose(label: str, done: int, total: int) -> None:
        if done > total / 3 and not lost:
            lost.append(cluster.remove_node(nodes[0], allow_graceful=False))

    data = otafl.run("digits_quickstart", keys, tmp_path / "ray", engine=Ray(), progress=lose, store=tmp_path / "one")
    assert lost
    assert data["outcome"].size == 60
    here = otafl.run("digits_quickstart", keys, tmp_path / "local", engine="local", store=tmp_path / "two")
    assert data.equals(here)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"cpus_per_task": 0}, "cpus_per_task = 0: must be at least 1"),
        ({"gpus_per_task": -1.0}, "gpus_per_task = -1.0: must not be negative"),
    ],
)
def test_needs_that_cannot_be(options, words):
    with pytest.raises(OtaflError, match=words):
        Ray(**options)


def test_a_cluster_that_is_not_there(tmp_path):
    with pytest.raises(OtaflError, match="must be the address of a Ray cluster"):
        run(KEYS, out=tmp_path / "out", engine=Ray("127.0.0.1:1"))
    assert not (tmp_path / "out").exists()
