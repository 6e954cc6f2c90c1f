"""What the journals and exports add up to: counted in one pass, shown as text and as a page."""
