"""Physical layer of a wireless multiple-access channel, usable without any learning on top.

Complex baseband, in NumPy, reduced to real arrays for whoever computes with it. Shapes follow
``[workers, subcarriers]``; powers are in W, energies in J, noise power spectral densities in W/Hz.

    grid             subcarriers, their spacing and the slot: where an element of an upload rides
    fading           gains per worker, antenna and subcarrier, block by block: the models, known by name
    cell             where workers are, path loss and shadowing, link budget
    gain             power gains |h|² and their inverses
    csi              what workers and server believe of the gains, from pilots; phase and timing errors
    antennas         several antennas, at workers or at the server, made one channel of each worker
    precoding        what a worker multiplies its contributions by: precoders, known by name
    power_control    how strongly workers transmit under a budget: kinds of it, known by name
    combining        what the receiver multiplies the sum by
    effective        all of these as real arrays
    noise            additive white Gaussian noise and the matched filter
    streams          random streams by the number of a block
    power            transmit power, budgets and the common scaling factor
    multiple_access  superposition of all workers at one receiver: the complex reference
    digital          Shannon rates, the split of the band and slots of orthogonal uploads
    codes            what codewords carry and how often they are sent: codes, known by name
    allocation       shares of the band: kinds of it, known by name
    registry         parts by name
"""
