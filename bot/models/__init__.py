"""Domain models: frozen values that every other package may import."""
