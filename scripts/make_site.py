"""Makes a site of our pages, and of the report of a directory of results.

Each page of Markdown becomes a page of the site, at the same place. Other files that a page links
to are copied; if the address of the repository is given, they stay in it.
"""

from __future__ import annotations

from timerbench import command

command.begin(__name__)

import html.parser
import posixpath
import shutil
import subprocess
import sys
from collections.abc import Iterable
from functools import cache, partial
from pathlib import Path

import report
from timerbench import command_line
from timerbench.command import ROOT, CommandError
from timerbench.site.pages import OUTSIDE, Page, page_of
from timerbench.templates import PALETTE, template_in

PARTS = ROOT / "scripts" / "timerbench" / "site"
STYLE = "site.css"
API = "api/index.html"

# The pages that every page links to.
ROOMS = {
    "Timerbench": "README.md",
    "Findings": "results/findings.md",
    "Another machine": "results/other_machine.md",
    "Claims": "results/claims.md",
    "The lazy wheel": "results/lazy_wheel.md",
    "Beside the originals": "results/originals.md",
    "Laws": "tests/LAWS.md",
    "Museum": "tests/MUSEUM.md",
    "Contribute": "CONTRIBUTING.md",
}


class Site:
    """The site that is written: pages, and the files that they link to."""

    def __init__(self, output: Path, tracked: Iterable[str], source: str | None) -> None:
        self.output = output
        self.source = source
        self.tracked = set(tracked)
        self.pages = {path: _address_of(path) for path in self.tracked if path.endswith(".md")}
        self.rooms = [(name, self.pages[path]) for name, path in ROOMS.items()]
        self.template = template_in(PARTS, "page.html.jinja")

    def write_pages(self) -> None:
        for path, address in sorted(self.pages.items()):
            resolve = partial(self._resolve, here=posixpath.dirname(address))
            self._write_page(address, page_of((ROOT / path).read_text(), path, resolve))
        self._write(STYLE, PALETTE.read_text() + (PARTS / STYLE).read_text())

    def _write_page(self, address: str, page: Page) -> None:
        root = "../" * address.count("/")
        text = self.template.render(
            title=page.title, body=page.body, rooms=self.rooms, here=address, root=root
        )
        self._write(address, text)

    def _write(self, address: str, text: str) -> None:
        file = self.output / address
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    def _resolve(self, target: str, anchor: str, here: str) -> str:
        """Returns the address of a page or a file.

        Copies a picture; other files only without a source.
        """
        page = next((p for p in (target, f"{target}/README.md") if p in self.pages), None)
        if page:
            address = posixpath.relpath(self.pages[page], here or ".")
            return f"{address}#{anchor}" if anchor else address
        if self.source and not target.endswith(".svg"):
            return f"{self.source.rstrip('/')}/{target}"
        if (ROOT / target).is_dir():
            return self._listing(target, here)
        if target not in self.tracked:
            raise CommandError(f"a page links to '{target}', which the repository does not have")
        (self.output / target).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / target, self.output / target)
        return posixpath.relpath(target, here or ".")

    def _listing(self, folder: str, here: str) -> str:
        """Makes a page that lists the files of a folder without a page of its own."""
        names = sorted(path for path in self.tracked if path.startswith(f"{folder}/"))
        address = f"{folder}/index.html"
        rows = "".join(f"<li>{name.removeprefix(folder + '/')}</li>" for name in names)
        self._write_page(address, Page(folder, f"<h1>{folder}</h1><ul>{rows}</ul>"))
        return posixpath.relpath(address, here or ".")


def _address_of(path: str) -> str:
    folder, name = posixpath.split(path)
    stem = "index" if name == "README.md" else name.removesuffix(".md")
    return posixpath.join(folder, f"{stem}.html")


class _Links(html.parser.HTMLParser):
    """The targets of the links of a page, and the names of its anchors."""

    def __init__(self) -> None:
        super().__init__()
        self.links: list[str] = []
        self.places: set[str] = set()

    def handle_starttag(self, _tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for key, value in attrs:
            if key in ("href", "src") and value and not OUTSIDE.match(value):
                self.links.append(value)
            elif key == "id" and value:
                self.places.add(value)


def broken_links(output: Path, addresses: Iterable[str]) -> list[str]:
    """Returns the links on these pages of the site that lead nowhere."""

    @cache
    def links_of(file: Path) -> _Links:
        links = _Links()
        links.feed(file.read_text())
        return links

    broken = []
    for address in addresses:
        file = output / address
        for link in links_of(file).links:
            there, _, place = link.partition("#")
            target = (file.parent / there).resolve() if there else file
            is_there = target.is_file()
            if is_there and place and target.suffix == ".html" and "report" not in target.name:
                is_there = place in links_of(target).places
            if not is_there:
                broken.append(f"{address}: {link}")
    return broken


def tracked_files() -> list[str]:
    command = ["git", "ls-files", "-z"]
    listed = subprocess.run(command, cwd=ROOT, check=False, capture_output=True, text=True)
    if listed.returncode != 0:
        raise CommandError(f"git does not list the files of {ROOT}: {listed.stderr.strip()}")
    return [path for path in listed.stdout.split("\0") if path and (ROOT / path).is_file()]


def write_report(results: Path, output: Path) -> str:
    """Writes the report, and the raw data and charts that it links to. Returns its address."""
    folder = output / "results" / results.resolve().name
    folder.mkdir(parents=True, exist_ok=True)
    for file in (*results.glob("*.json"), *results.glob("*.svg")):
        shutil.copyfile(file, folder / file.name)
    (folder / report.FILE).write_text(report.page_of(results))
    return (folder / report.FILE).relative_to(output).as_posix()


def make(results: Path, output: Path, source: str | None) -> Path:
    """Makes the site, which replaces a former site; keeps the pages of the API."""
    site = Site(output, tracked_files(), source)
    if (output / API).is_file():
        site.rooms.insert(1, ("API", API))
    site.rooms.insert(1, ("All figures", write_report(results, output)))
    site.write_pages()
    if broken := broken_links(output, site.pages.values()):
        raise CommandError(f"links lead nowhere: {'; '.join(broken[:10])}")
    return output / "index.html"


@command.ends_in_words()
def main(arguments: list[str] | None = None) -> None:
    parser = command_line.Parser(__doc__.split("\n", 1)[0])
    parser.add_argument(
        "results", type=command_line.path, help="a directory of results, for the report"
    )
    parser.add_argument("output", type=command_line.path, help="where the site goes")
    parser.add_argument(
        "--source",
        metavar="URL",
        help="where the files of the repository can be read; without it they are copied",
    )
    options = parser.parse_args(arguments)
    print(f"site  {make(options.results, options.output, options.source)}")


if __name__ == "__main__":
    sys.exit(main())
