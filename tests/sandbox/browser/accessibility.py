"""Accessibility of a page as it stands, wide and narrow, light and dark: axe's findings, what is cut, what is too small
to tap."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from playwright.async_api import Page, ViewportSize

SCREENS = [("dark", 360), pytest.param(("light", 1180), marks=pytest.mark.long)]
"""Colour schemes and widths."""

_AXE = """async () => {
  const found = await axe.run(document, {resultTypes: ['violations'], rules: {'target-size': {enabled: true}}});
  return found.violations.flatMap(({id, nodes}) => nodes.map((node) =>
    `${id}: ${node.target.join(' ')}: ${node.failureSummary.split('\\n')[1].trim()}`));
}"""
_LAYOUT = """() => {
  const found = [], wide = innerWidth;
  if (document.documentElement.scrollWidth > wide) found.push('the page scrolls sideways');
  const seen = (each) => each.checkVisibility({visibilityProperty: true}) && each.getClientRects().length;
  const named = (each) => `${each.tagName}#${each.id}.${each.className}: ${each.textContent.trim().slice(0, 30)}`;
  const scrolls = (each) => {
    for (let above = each.parentElement; above; above = above.parentElement) {
      if (['auto', 'scroll'].includes(getComputedStyle(above).overflowX) && above.scrollWidth > above.clientWidth
          && getComputedStyle(above).overflowY !== 'auto') return true;
    }
    return false;
  };
  for (const each of document.body.querySelectorAll('*')) {
    if (!seen(each) || each.closest('.unseen')) continue;
    const box = each.getBoundingClientRect();
    if (!box.width || (box.right <= wide + 1 && box.left >= -1) || scrolls(each)) continue;
    found.push(`outside of the window: ${named(each)}`);
  }
  for (const each of document.querySelectorAll('button, input, select, textarea, summary, a[href], [role=button]')) {
    if (!seen(each) || (each.tagName === 'A' && getComputedStyle(each).display === 'inline')) continue;
    const box = (each.closest('label') ?? each).getBoundingClientRect();
    if (Math.min(box.width, box.height) < 23.9) found.push(`${box.width} x ${box.height} px to tap: ${named(each)}`);
  }
  return found;
}"""


_FITTED = """(width) => new Promise((done) => {
  const look = () => innerWidth === width ? done() : requestAnimationFrame(look);
  requestAnimationFrame(look);
})"""
"""The page hears of a new size in the frame that first has it, before what was asked for that frame."""


async def fit(page: Page, size: ViewportSize) -> None:
    """Give the window this size, and wait until the page has heard of it: it closes menus and renames regions."""
    await page.set_viewport_size(size)
    await page.evaluate(_FITTED, size["width"])


async def find_faults(page: Page, screen: tuple[str, int], surface: str) -> list[str]:
    """Return the faults of a surface on a screen; afterwards the window is as wide as before.

    What a change of the size closes, as a menu, is there to be looked at only in a window that has the size already.
    """
    size, (scheme, width) = page.viewport_size, screen
    if not await page.evaluate("() => 'axe' in window"):
        await page.evaluate(_script())
    await page.emulate_media(color_scheme=scheme, reduced_motion="reduce")  # type: ignore[arg-type]  # "light" or "dark"
    await fit(page, {"width": width, "height": 800})
    found: list[str] = [*await page.evaluate(_AXE), *await page.evaluate(_LAYOUT)]
    if size:
        await fit(page, size)
    return [f"{surface}: {fault}" for fault in found]


def _script() -> str:
    axe = pytest.importorskip("axe_playwright_python", reason="needs axe: pip install '.[dev]'")
    return (Path(axe.__file__).parent / "axe.min.js").read_text(encoding="utf-8")
