"""A machine with Debian and nothing else, as a folder: what the image, the wheel and a newcomer's clone are tried in.

`python -m measure.bare_root image` does what the Dockerfile says, and runs the bot as the image does; `wheel` gives the
first commands of an installation from the wheel. It needs root, debootstrap, bubblewrap and a mirror of Debian.
"""
