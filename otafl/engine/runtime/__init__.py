"""TensorFlow's resources in a process: compiled programs, memory maps and threads."""
