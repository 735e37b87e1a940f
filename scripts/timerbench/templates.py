"""Pages of HTML from templates: text is escaped, and what a template lacks is an error."""

from __future__ import annotations

from pathlib import Path

import jinja2

# The colours of all pages, by day and by night.
PALETTE = Path(__file__).with_name("palette.css")


def template_in(folder: Path, name: str) -> jinja2.Template:
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(folder),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return environment.get_template(name)
