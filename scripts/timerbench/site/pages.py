"""Pages of Markdown as HTML, with the anchors of GitHub and with links that work on the site."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.token import Token
from pygments import highlight  # type: ignore[import-untyped]
from pygments.formatters import HtmlFormatter  # type: ignore[import-untyped]
from pygments.lexers import get_lexer_by_name  # type: ignore[import-untyped]
from pygments.util import ClassNotFound  # type: ignore[import-untyped]

from timerbench.written_page import anchor

# Finds where a link leads: the arguments are a path in the repository, and the text after '#'.
Resolve = Callable[[str, str], str]

OUTSIDE = re.compile(r"^[a-z]+:|^//", re.IGNORECASE)


@dataclass(frozen=True)
class Page:
    """A page in HTML: its title, and its body."""

    title: str
    body: str


def page_of(text: str, path: str, resolve: Resolve) -> Page:
    """Makes a page of Markdown from this path of the repository. Comments are left out."""
    reader = MarkdownIt("commonmark", {"html": True, "highlight": _highlighted}).enable("table")
    tokens = [token for token in reader.parse(text) if not _is_comment(token)]
    headings = [
        (opening, "".join(part.content for part in inline.children or []))
        for opening, inline in pairwise(tokens)
        if opening.type == "heading_open"
    ]
    for opening, words in headings:
        opening.attrSet("id", anchor(words))
    for token in tokens:
        _lead(token, path, resolve)
    body = reader.renderer.render(tokens, reader.options, {})
    titles = (words for opening, words in headings if opening.tag == "h1" and words)
    return Page(next(titles, path), body)


def _is_comment(token: Token) -> bool:
    return token.type == "html_block" and token.content.lstrip().startswith("<!--")


def _highlighted(code: str, language: str, _attributes: str) -> str:
    try:
        lexer = get_lexer_by_name(language)
    except ClassNotFound:
        return ""
    return str(highlight(code, lexer, HtmlFormatter(nowrap=True)))


def _lead(token: Token, path: str, resolve: Resolve) -> None:
    for child in token.children or []:
        for attribute in ("href", "src"):
            target: Any = child.attrs.get(attribute)
            if isinstance(target, str) and not OUTSIDE.match(target):
                there, _, anchor = target.partition("#")
                if there:
                    whole = posixpath.normpath(posixpath.join(posixpath.dirname(path), there))
                    child.attrs[attribute] = resolve(whole, anchor)
