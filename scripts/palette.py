"""A screenshot as a small file: its commonest 256 colours, packed as tightly as the format can. For both scripts."""

from __future__ import annotations

import struct
import zlib
from collections import Counter

SIGNATURE = b"\x89PNG\r\n\x1a\n"
COLOURS = 256
Colour = bytes


def smaller(png: bytes) -> bytes:
    """The same picture as a palette PNG; `png` is 8-bit RGB or RGBA as a browser writes it, whose alpha is dropped."""
    width, height, pixels = decoded(png)
    common = [colour for colour, _ in Counter(pixels).most_common(COLOURS)]
    places = {colour: place for place, colour in enumerate(common)}
    for colour in {*pixels} - places.keys():
        places[colour] = min((_distance(each, colour), place) for place, each in enumerate(common))[1]
    packed = bytes(places[colour] for colour in pixels)
    rows = b"".join(b"\0" + packed[start : start + width] for start in range(0, width * height, width))
    header = struct.pack(">IIBBBBB", width, height, 8, 3, 0, 0, 0)
    parts = ((b"IHDR", header), (b"PLTE", b"".join(common)), (b"IDAT", zlib.compress(rows, 9)), (b"IEND", b""))
    return SIGNATURE + b"".join(_chunk(name, content) for name, content in parts)


def decoded(png: bytes) -> tuple[int, int, list[Colour]]:
    """Width, height and the colour of each pixel, row by row."""
    chunks = _chunks(png)
    width, height, _, kind = struct.unpack(">IIBB", chunks[b"IHDR"][:10])
    step = {2: 3, 6: 4}[kind]
    data, row, pixels = zlib.decompress(chunks[b"IDAT"]), bytearray(width * step), []
    for start in range(0, len(data), width * step + 1):
        row = _unfiltered(data[start], data[start + 1 : start + 1 + width * step], row, step)
        pixels += [bytes(row[at : at + 3]) for at in range(0, len(row), step)]
    return width, height, pixels


def _unfiltered(kind: int, line: bytes, above: bytearray, step: int) -> bytearray:
    """One row, from what it differs by from its neighbours."""
    row = bytearray(line)
    for at in range(len(row)) if kind else ():
        left = row[at - step] if at >= step else 0
        up, corner = above[at], above[at - step] if at >= step else 0
        row[at] = (row[at] + (0, left, up, (left + up) // 2, _paeth(left, up, corner))[kind]) & 255
    return row


def _paeth(left: int, up: int, corner: int) -> int:
    guess = left + up - corner
    return min((left, up, corner), key=lambda near: abs(guess - near))


def _distance(one: Colour, other: Colour) -> int:
    return sum((a - b) ** 2 for a, b in zip(one, other, strict=True))


def _chunks(png: bytes) -> dict[bytes, bytes]:
    """The content of each kind of chunk, those of one kind joined."""
    found: dict[bytes, bytes] = {}
    at = len(SIGNATURE)
    while at < len(png):
        (length,), name = struct.unpack(">I", png[at : at + 4]), png[at + 4 : at + 8]
        found[name] = found.get(name, b"") + png[at + 8 : at + 8 + length]
        at += length + 12
    return found


def _chunk(name: bytes, content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + name + content + struct.pack(">I", zlib.crc32(name + content))
