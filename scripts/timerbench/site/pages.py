"""Pages of Markdown as HTML: with anchors as GitHub has them, and links that hold on the site."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.token import Token
from pygments import highlight  # type: ignore[import-untyped]
from pygments.formatters import HtmlFormatter  # type: ignore[import-untyped]
from pygments.lexers import get_lexer_by_name  # type: ignore[import-untyped]
from pygments.util import ClassNotFound  # type: ignore[import-untyped]

# Where a link leads: from a path in the repository, with what stands behind '#'.
Resolve = Callable[[str, str], str]

OUTSIDE = re.compile(r"^[a-z]+:|^//", re.IGNORECASE)


@dataclass(frozen=True)
class Page:
    """A page that is read: its title, and its body in HTML."""

    title: str
    body: str


def anchor_of(heading: str) -> str:
    """The name that GitHub gives to a heading."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def page_of(text: str, path: str, resolve: Resolve) -> Page:
    """Of the Markdown that stands at this path of the repository. What is a comment is left out."""
    reader = MarkdownIt("commonmark", {"html": True, "highlight": _highlighted}).enable("table")
    tokens = [token for token in reader.parse(text) if not _is_comment(token)]
    _give_anchors(tokens)
    for token in tokens:
        _lead(token, path, resolve)
    body = reader.renderer.render(tokens, reader.options, {})
    return Page(_title_of(tokens) or path, body)


def _is_comment(token: Token) -> bool:
    return token.type == "html_block" and token.content.lstrip().startswith("<!--")


def _highlighted(code: str, language: str, _attributes: str) -> str:
    try:
        lexer = get_lexer_by_name(language)
    except ClassNotFound:
        return ""
    return str(highlight(code, lexer, HtmlFormatter(nowrap=True)))


def _give_anchors(tokens: Sequence[Token]) -> None:
    for opening, inline in pairwise(tokens):
        if opening.type == "heading_open":
            opening.attrSet("id", anchor_of(_text_of(inline)))


def _title_of(tokens: Sequence[Token]) -> str | None:
    for opening, inline in pairwise(tokens):
        if opening.type == "heading_open" and opening.tag == "h1":
            return _text_of(inline)
    return None


def _text_of(inline: Token) -> str:
    return "".join(child.content for child in inline.children or [])


def _lead(token: Token, path: str, resolve: Resolve) -> None:
    for child in token.children or []:
        for attribute in ("href", "src"):
            target: Any = child.attrs.get(attribute)
            if isinstance(target, str) and not OUTSIDE.match(target):
                child.attrs[attribute] = _resolved(target, path, resolve)


def _resolved(target: str, path: str, resolve: Resolve) -> str:
    there, _, anchor = target.partition("#")
    if not there:
        return target
    return resolve(posixpath.normpath(posixpath.join(posixpath.dirname(path), there)), anchor)
