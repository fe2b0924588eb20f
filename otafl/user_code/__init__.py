"""Code of the user's own: plugins, models and data functions, and digests that show whether it has changed."""
