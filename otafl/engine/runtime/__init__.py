"""TensorFlow's own affairs in a process: compiled programs that are kept and let go, and threads."""
