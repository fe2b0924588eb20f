"""Code of the user's own: plugins, models and data functions, and digests that tell whether it has changed."""
