"""Physical layer of a wireless multiple-access channel, usable without any learning on top.

It is installed as ``otafl.channels``, imports nothing from otafl, and has relative imports alone.

Complex baseband in NumPy, reduced to real arrays for simulators of learning. Shapes follow ``[workers, subcarriers]``;
powers are in W, energies in J, noise power spectral densities in W/Hz.

    grid             subcarriers, their spacing and the slot: where an element of an upload rides
    fading           gains per worker, antenna and subcarrier, block by block: the models, known by name
    cell             places of workers, path loss and shadowing, link budget
    gain             power gains |h|² and their inverses
    csi              channel state information from pilots at workers and server; phase and timing errors
    antennas         several antennas, at workers or at the server, reduced to one channel of each worker
    precoding        factors of workers on their contributions: precoders, known by name
    power_control    transmit power of workers under a budget: kinds of it, known by name
    clipping         amplifiers that clip peaks, and the distortion that is received
    combiners        weights of a server's antennas: combiners, known by name
    receive_scaling  weights of the receiver on the received sum
    effective_channel  fading, CSI, precoder and receive scaling as real arrays
    noise            additive white Gaussian noise and the matched filter
    random_streams   random generators by seed and number of a block
    power            transmit power, budgets and the common scaling factor
    multiple_access  superposition of all workers at one receiver: the complex reference
    digital          Shannon rates, the split of the band and slots of orthogonal uploads
    codes            bits of codewords and their transmissions: codes, known by name
    allocation       shares of the band: kinds of it, known by name
    registry         parts by name
    layouts          orders of the axes of arrays, as named types
    errors           the error of a parameter that breaks a rule
    class_origins, file_digests, cache  modules that make classes, digests of files, folders kept between processes
"""
