"""Figure 1 of the FedADMM paper of Wang et al.: FedDR and FedADMM on images."""

from functools import partial

from figures import wang_synthetic
from figures.study import Study

PANELS = {"MNIST, CNN": "wang_images_mnist", "digits, MLP": "wang_images_small"}

STUDY = Study(
    title="Wang et al.: FedDR and FedADMM coincide on images, too (figure 1)",
    scenarios=tuple(PANELS.values()),
    draw=partial(wang_synthetic.draw, panels=PANELS),
    caption=(
        "As the figure above, in place of FEMNIST, which is absent here. Left: MNIST, CNN, 10 of 20 clients, Dirichlet "
        "with 0.3, one seed, 20 rounds. Right: embedded digits, 3 seeds, 50 rounds."
    ),
)
