"""Physical layer of a wireless multiple-access channel, usable without any learning on top.

Complex baseband, in NumPy. Shapes follow ``[workers, subcarriers]``; powers are in W, energies in J, noise
power spectral densities in W/Hz.

    grid             subcarriers, their spacing and the slot: where an element of an upload rides
    fading           block fading per subcarrier (Rayleigh, none)
    noise            additive white Gaussian noise and the matched filter
    power            transmit power, budgets and the common scaling factor
    inversion        truncated channel inversion
    multiple_access  superposition of all workers at one receiver
    digital          Shannon rates, the split of the band and slots of orthogonal uploads
"""
