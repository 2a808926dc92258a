"""Problems as text for people: blocks with the faulty lines, or one line each."""

from collections.abc import Iterable

from covel_host.diagnostics.ansi import Style, painted
from covel_host.diagnostics.diagnostic import Diagnostic, Span
from covel_host.diagnostics.excerpt import excerpt_lines
from covel_host.diagnostics.source import SourceLookup


def format_full(
    diagnostics: Iterable[Diagnostic], *, sources: SourceLookup, colour: bool = False
) -> str:
    """Each problem as a block with the lines it lies in and a caret; blank lines between blocks.

    Empty text without problems; otherwise it ends with a line end. What packages wrote cannot
    steer a terminal: control characters are replaced, so the text is printed as it is.
    """
    return "\n".join(_block(diagnostic, sources, colour) for diagnostic in diagnostics)


def format_concise(diagnostics: Iterable[Diagnostic]) -> str:
    """One line for each problem: `place: severity CODE name: message`, for editors and `grep`."""
    lines = []
    for found in diagnostics:
        place = place_text(found.plugin, found.file, found.span)
        said = " ".join(found.message.split())
        mark = " [fixable]" if found.fix is not None else ""
        line = f"{place}: {found.severity} {found.code} {found.name}: {said}{mark}"
        lines.append(f"{without_controls(line)}\n")
    return "".join(lines)


def place_text(plugin: str, file: str, span: Span | None) -> str:
    """`plugin/file:line:column`, as far as there are such."""
    place = f"{plugin}/{file}" if plugin and file else plugin or file or "."
    return place if span is None else f"{place}:{span.line}:{span.column}"


def without_controls(text: str) -> str:
    """`text`, one line, with the replacement character for what could steer a terminal."""
    if text.isprintable():
        return text
    return "".join("\N{REPLACEMENT CHARACTER}" if _is_control(char) else char for char in text)


def _is_control(char: str) -> bool:
    return char < " " or "\x7f" <= char < "\xa0"


def _block(found: Diagnostic, sources: SourceLookup, colour: bool) -> str:
    def paint(text: str, style: Style) -> str:
        return painted(text, style, colour=colour)

    def placed(file: str, span: Span | None) -> list[str]:
        place = without_controls(place_text(found.plugin, file, span))
        shown = [f"  {paint('-->', 'gutter')} {paint(place, 'place')}"]
        return shown + _painted_excerpt(
            excerpt_lines(sources(found.plugin, file), span), found, colour
        )

    head = paint(f"{found.severity}[{found.code}]", found.severity)
    lines = [f"{head} {found.name}: {paint(without_controls(found.message), 'strong')}"]
    lines += placed(found.file, found.span)
    for related in found.related:
        lines.append(f"  related: {without_controls(related.message)}")
        lines += placed(related.file, related.span) if related.file else []
    if found.path:
        lines.append(f"  field: {without_controls(found.path)}")
    if found.hint is not None:
        lines.append(f"  {paint('help:', 'help')} {without_controls(found.hint)}")
    if found.fix is not None:
        lines.append(f"  {paint('fix:', 'help')} {without_controls(found.fix.title)}.")
    return "".join(f"{line}\n" for line in lines)


def _painted_excerpt(lines: list[str], found: Diagnostic, colour: bool) -> list[str]:
    """The lines of an excerpt, its gutter dim and its carets in the colour of the problem."""
    if not colour:
        return lines
    shown = []
    for line in lines:
        gutter, bar, text = line.partition("|")
        if text.strip("^ ") == "" and "^" in text:
            text = painted(text, found.severity, colour=True)
        shown.append(f"{painted(gutter + bar, 'gutter', colour=True)}{text}")
    return shown
