"""What tests of the physical layer share."""

import pytest


@pytest.fixture
def sionna():
    """Sionna's physical layer with its seed set; tests that compare with it are skipped where it cannot be imported."""
    try:
        import sionna.phy
        import sionna.phy.channel
    except Exception as reason:  # it also fails on libraries it loads, as LLVM
        pytest.skip(f"sionna cannot be imported: {reason!r}")
    sionna.phy.config.seed = 1
    return sionna.phy
