"""Prices of models, from the table that `genai-prices` includes: no network access.

The library is imported at the first use, since that takes half a second.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bot.models.turn import Usage


class PriceTable:
    """Anthropic's prices. Models of other servers have none."""

    def cost(self, model: str, usage: Usage) -> float | None:
        """Return the cost in US dollars, or `None` if the table does not know the model."""
        import genai_prices

        tokens = genai_prices.Usage(
            input_tokens=usage.read,  # the table's input tokens include those of the cache
            cache_read_tokens=usage.cache_read_tokens,
            cache_write_tokens=usage.cache_write_tokens,
            output_tokens=usage.output_tokens,
        )
        try:
            return float(genai_prices.calc_price(tokens, model, provider_id="anthropic").total_price)
        except LookupError:
            return None
