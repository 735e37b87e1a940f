"""Makes our pages with figures: puts the figures of the results into the templates.

A template in results/pages makes the page of the same name. Without --write the exit status is 1 if
a page is not what its template and the results make; --write writes those pages.
"""

from __future__ import annotations

from timerbench import command

command.begin(__name__)

import sys
import tomllib
import traceback
from collections.abc import Callable
from functools import partial
from pathlib import Path

import jinja2
import mdformat

from timerbench import command_line, measured
from timerbench.command import ROOT, CommandError
from timerbench.whole_file import replace

TEMPLATES = ROOT / "results" / "pages"
FORMAT = {"wrap": 120, "number": True, "compact_tables": True}
FUNCTIONS: dict[str, Callable[..., object]] = {
    "min": measured.least,
    "max": measured.most,
    "median": measured.median,
    "most_of": measured.most_of,
    "count": measured.count,
}
FORMS = {"digits": measured.digits, "time": measured.time, "power_of_ten": measured.power_of_ten}
# What a wrong expression of a template raises.
NO_PAGE = (CommandError, jinja2.TemplateError, ArithmeticError, TypeError, ValueError)


def target_of(template: Path) -> Path:
    """Returns the page of a template. The README stands at the top, the others in results/."""
    results = template.parent.parent
    name = template.name.removesuffix(".jinja")
    return (results.parent if name == "README.md" else results) / name


def page_of(template: Path) -> str:
    """Returns the text of a page. Raises CommandError, with the line of the template."""
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(template.parent),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        autoescape=False,  # it is Markdown
    )
    environment.globals |= FUNCTIONS | {"measured": partial(measured_in, template.parent)}
    environment.filters |= FORMS
    try:
        text = environment.get_template(template.name).render()
    except jinja2.TemplateSyntaxError as error:
        raise CommandError(f"{template}:{error.lineno}: {error.message}") from error
    except NO_PAGE as error:
        raise CommandError(f"{template}:{line_of(error, template)}: {error}") from error
    source = template.relative_to(template.parents[2])
    comment = f"<!-- scripts/fill_pages.py makes this page from {source}. -->\n\n"
    return mdformat.text(comment + text, options=FORMAT, extensions={"tables"})


def measured_in(templates: Path, directory: str) -> measured.Measured:
    """Returns a directory of results, with the words that all pages share."""
    words = tomllib.loads((templates / "words.toml").read_text())
    return measured.Measured(templates.parent / directory, words)


def line_of(error: Exception, template: Path) -> int:
    frames = traceback.extract_tb(error.__traceback__)
    return next((f.lineno or 0 for f in reversed(frames) if f.filename == str(template)), 0)


@command.ends_in_words()
def main(arguments: list[str] | None = None) -> int:
    parser = command_line.Parser(__doc__)
    parser.add_argument("--write", action="store_true", help="make the pages right")
    options = parser.parse_args(arguments)
    templates = sorted(TEMPLATES.glob("*.md.jinja"))
    if not templates:
        raise CommandError(f"{TEMPLATES} has no templates")
    pages = {target_of(template): page_of(template) for template in templates}
    stale = [path for path, text in pages.items() if not path.exists() or path.read_text() != text]
    for path in stale:
        if options.write:
            replace(path, pages[path])
            print(f"{path} is written anew")
        else:
            print(f"{path} is not up to date; --write makes it right", file=sys.stderr)
    return 1 if stale and not options.write else 0


if __name__ == "__main__":
    sys.exit(main())
