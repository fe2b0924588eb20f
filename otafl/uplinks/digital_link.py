"""Digital link of one round, inside a program: workers send as many elements as their bits carry."""

from otafl.uplinks.link import Link, Vectors


class DigitalLink(Link):
    """Digital link of one round; it is exact, and uploads of fixed uses carry a share of each worker's elements."""

    def compress(self, messages: Vectors, memory: Vectors) -> tuple[Vectors, Vectors]:
        """Return the parts of vectors that workers send now, and the parts that they remember for the next round.

        Arguments:
            messages: vectors of a round, d elements of each worker, [workers, d, runs] each, and single numbers,
                [workers, 1, runs].
            memory: part of each vector that was not sent before; empty without error feedback. Shape [workers, d, runs]
                each.

        Returns:
            Vectors to send, and new memory. Shape [workers, d, runs] each.
        """
        if (share := self.draw.channel.carried_share) is None:
            return super().compress(messages, memory)
        compressor = self.chain.compressor.with_numbers({"sparsity": share[:, :1]})
        return compressor.compress(messages, memory, [self.drawn(vector) for vector in range(len(memory))])
