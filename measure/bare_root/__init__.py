"""A machine with Debian and nothing else, as a folder: what the image, the wheel and a newcomer's clone are tried in.

`python -m measure.bare_root image` does what the Dockerfile says, and runs the bot as the image does; `installed` gives
the first commands after each way to install of docs/install.md. It needs root, debootstrap, bubblewrap and a mirror.
"""
