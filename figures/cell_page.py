"""Section on A-FADMM in a cell of the gallery: the texts around its figures."""

HEAD = """
# A-FADMM in a cell

With the paper's weights A-FADMM is slow or fails where workers have different mean gains, as the section above shows.
With other weights it need not.

The paper asks for h_n(θ_n − Θ) = 0. Scaled by a known c_n > 0 for each worker and subcarrier, c_n·h_n(θ_n − Θ) = 0 has
the same solutions. Then:

1. The weight w_n = c_n²|h_n|² stands wherever (9) to (15) have |h_n|².
2. A worker sends x_n = (w_n·θ_n + μ_n/ρ)/h_n; the server receives Σ(w_n·θ_n + μ_n/ρ) and divides by Σw_n.
3. The dual update is μ_n ← μ_n + ρ·w_n(θ_n − Θ), where μ_n = conj(λ_n)·c_n·h_n is real as before.
4. A fixed point has θ_n = Θ and Σμ_n = 0 with μ_n = −∇f_n(Θ), whatever w. It is the optimum: weights are penalties.
5. Theorem 1 and corollary 1 hold for any w > 0. Their proofs never use that w is |h|².
6. With w = |h|^p·β^(−κ), β the mean gain, the model's part of a symbol is |h|^(p−1)·β^(−κ)·e^(−jφ)·θ.
7. With p = 1 and κ = 0 that is a constant power and a compensated phase: no worker is loud, none is silent.
8. A worker follows Θ as fast as ρ·w_n compares with the curvature of f_n. Gains over 40 dB are weights over 40 dB with
   p = 2, and over 20 dB with p = 1.
9. The noise on Θ goes with the largest worker's amplitude over Σw_n. A common factor on all w is a factor on ρ.
10. The server must know Σw_n. Pilots multiplied by c_n tell it, or a report of w_n in place of |h_n|².

`algorithm.weight_exponent` is p and `algorithm.path_loss_compensation` is κ; the defaults are the paper's, 2 and 0.
Both belong to A-FADMM, A-SFADMM and the weighted D-FADMM and D-SFADMM.
[A-FADMM](../docs/explanation/a-fadmm.md#weights-of-the-consensus) has the details.
"""
FOOT = """
## A-FADMM in a cell: what to choose

* **Regression, exact local solutions**: p = 1, κ = 0. With ρ = 2 it takes fewer slots and seconds to 1e-4 than the
  paper's weights on every channel tried here, and its loss over the last 5,000 iterations is not higher. Over Rayleigh
  fading and TDL-C the paper's weights take fewer joules: 4.2 against 4.8, and 3.0 against 5.2.
* **Networks in a cell**: p = 1, κ = 0.5, or p = 2, κ = 1. Both compensate the path loss in full. For networks the
  weights of faraway workers matter more than the noise that their power costs.
* **Rivals that invert channels**: mean gains that differ hardly weigh on them. On MNIST FedAvg over the air, with 60
  local steps in a round, is ahead of A-SFADMM, with 20, on every channel and in every cost. With 12 it takes more slots
  on IID data. On digits over UMi FedAvg has 5 epochs and A-SFADMM 14, and A-SFADMM is ahead: it takes 60 to 90 slots to
  0.9 (IID), FedAvg 140 to 190. The [comparison](../docs/claims/comparison.md) tunes each.
* **Gradient descent**: with a step of 0.005, 50 times the paper's, A-GD takes 162 slots to 1e-4, and 9 to 49 times less
  energy than A-FADMM with p = 1. Where mean gains differ its slots are nearly the same, but for one seed over UMi.
  A-FADMM takes 127 over Rayleigh fading, but 473 over UMi and 781 over UMa (means). With the paper's step A-GD takes
  8,128.
* **Equal mean gains**: p = 1. κ has no effect on the comparison of workers.
* **Penalty**: with p = 1 one ρ serves all channels. Of 0.5, 1, 2, 4 and 8, ρ = 2 is best over UMi and in the canyon.
  It takes 3% more slots than ρ = 1 over Rayleigh fading, and 24% more over TDL-C. With p = 2 the best one is 1 over
  Rayleigh fading and 4 in the canyon, where most seeds fail with 0.5. These are slots to hold 1e-4, medians of 5 seeds.
* **Changes of channel**: p = 1 and `algorithm.on_channel_change = "train"`. At 40 dB, over Rayleigh fading, it is
  within 0.003 of the best choice with 100 workers and with 5 that have IID data. With 5 of two classes it is 0.016
  below.
* **Who takes part**: all. With weights that compensate path loss, leaving faraway workers out brings nothing.
* otafl has no rule that finds ρ or p by itself.
"""
