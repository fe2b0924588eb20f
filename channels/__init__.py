"""Physical layer of a wireless multiple-access channel, usable without any learning on top.

Complex baseband in NumPy, reduced to real arrays for simulators of learning (``effective_channel``). Arrays have the
axes [workers, subcarriers], by ``array_types``; powers are in W, energies in J, noise power spectral densities in W/Hz.
Fading models and the parts of uplinks are known by name: ``fading``, ``precoding``, ``power_control``, ``combiners``,
``codes`` and ``allocation`` have a file for each.

It is installed as ``otafl.channels``, imports nothing from otafl, and has relative imports alone.
"""
