"""Networks are trained in one part here, too."""

from tests.otafl.engine.conftest import one_part  # noqa: F401
