"""A gallery: every shipped scene is run, and its picture and summary go to one page.

    python examples/python/gallery.py gallery.html [NAME ...]
"""

import sys
from html import escape
from pathlib import Path

import lissome as ls


def card(name: str) -> str:
    """The picture of a scene and the lines that it prints; a motion has lines alone."""
    run = ls.demo(name).run()
    return f"<section><h2>{escape(name)}</h2>{run._repr_html_()}</section>"


def main(page: str, *names: str) -> None:
    cards = "\n".join(card(name) for name in names or ls.demos())
    style = "body { font-family: sans-serif; max-width: 60rem; margin: auto } svg { max-width: 100% }"
    Path(page).write_text(f"<!doctype html><title>lissome</title><style>{style}</style>\n{cards}\n", encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:] or ["gallery.html"])
