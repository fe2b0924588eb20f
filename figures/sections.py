"""Names of the figures of the gallery, section by section, each that of a module of this folder."""

PAPERS = (
    "quickstart",
    "linreg_communication",
    "linreg_energy",
    "linreg_joules",
    "linreg_inversion",
    "linreg_scalability",
    "linreg_penalty",
    "linreg_readings",
    "mnist_communication",
    "mnist_readings",
    "mnist_energy",
    "mnist_scalability",
    "mnist_penalty",
    "mnist_local_steps",
    "mnist_learning_rate",
    "gong_table3",
    "gong_ingredients",
    "gong_table5",
    "gong_settings",
    "gong_scale",
    "wang_synthetic",
    "wang_images",
    "wang_participation",
    "fedvra_table3",
    "fedvra_table4",
    "fedvra_steps",
    "fedvra_labels",
    "insa_regression",
    "insa_mnist",
    "insa_penalty",
    "air_time_slots",
    "air_energy",
)
CHANNELS = ("channel_models", "channel_maps", "channel_loss", "channel_accuracy", "channel_claims")
CELL = (
    "cell_weights",
    "cell_floor",
    "cell_networks",
    "cell_jumps",
    "cell_reach",
    "cell_methods",
    "cell_federated",
    "cell_paper",
    "cell_seconds",
)
SCHEMES = (
    "compare_rayleigh_iid",
    "compare_rayleigh_shards",
    "compare_umi_iid",
    "compare_umi_shards",
    "scheme_precoders",
    "scheme_truncation",
)
FIELD = (
    "field_a_dsgd",
    "field_baa",
    "field_cotaf",
    "field_obda",
)
FAMILIES = (
    "family_votes",
    "family_phases",
    "scheme_sums",
    "scheme_codewords",
    "family_neighbours",
    "family_edges",
    "fails_hostile",
    "family_surface",
    "family_energies",
    "adapters",
)
PRIVACY = ("privacy_estimates", "privacy_pictures")
EVERY = (*PAPERS, *CHANNELS, *CELL, *SCHEMES, *FIELD, *FAMILIES, *PRIVACY)
