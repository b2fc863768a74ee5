"""The prose of the repository: comments and docstrings of sources, paragraphs and list items of Markdown files."""

import ast
import io
import re
import subprocess
import tokenize

import markdown
from markdown import ROOT

SLASHES = {".cpp", ".hpp", ".cu", ".cuh", ".c", ".h"}
LITERAL = r'R"(?P<end>[^(\s]*)\((?:.|\n)*?\)(?P=end)"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])\''
IN_SLASHES = re.compile(rf"{LITERAL}|//[/!]?<? ?(?P<text>[^\n]*)")
IN_HASHES = re.compile(r"(?<!\S)#+ (?P<text>.*)")
ITEM = re.compile(r"(?:[-*] |\d+\. | {2,})")  # begins a part of its own: an item, or an indented example
NO_PROSE = re.compile(r"[#|<>]|!\[|---|\s*$")


def kind_of(path):
    """How a file writes prose: "//", "#", "py", "md", or "" for none that is held. Published pages are generated."""
    if path.suffix in SLASHES:
        return "//"
    if path.suffix == ".md":
        return "" if path.relative_to(ROOT).as_posix().startswith("reports/20") else "md"
    if path.suffix in {".cmake", ".sh"} or path.name == "CMakeLists.txt":
        return "#"
    if path.suffix:
        return "py" if path.suffix == ".py" else ""
    first = path.open("rb").readline(60)
    return "py" if re.match(rb"#!.*python", first) else "#" if re.match(rb"#!.*sh\b", first) else ""


def sources():
    """Every tracked file that has prose, with its kind. An unpacked archive has no Git, so all its files are taken."""
    tracked = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True)
    found = [ROOT / name for name in tracked.stdout.split("\0") if name] or [
        path for path in ROOT.rglob("*") if not markdown.SKIPPED & set(path.relative_to(ROOT).parts)]
    return [(path, kind) for path in sorted(found) if path.is_file() and not path.is_symlink() and (kind := kind_of(path))]


def comment_lines(text, kind):
    """(line, column, True if it stands alone, text) of every line that has a comment."""
    if kind == "py":
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type == tokenize.COMMENT and not token.string.startswith("#!"):
                yield *token.start, not token.line[:token.start[1]].strip(), token.string.lstrip("#").removeprefix(" ")
        return
    for match in (IN_SLASHES if kind == "//" else IN_HASHES).finditer(text):
        if match["text"] is not None:
            start = text.rfind("\n", 0, match.start()) + 1
            yield text.count("\n", 0, start) + 1, match.start() - start, not text[start:match.start()].strip(), match["text"]


def markdown_lines(text):
    """Returns the lines of a page in the form of comment_lines(). A line that has no prose ends a paragraph."""
    return [(line, 0, True, "" if NO_PROSE.match(words) else words.strip()) for line, words in markdown.prose(text)[0]]


def parts(text, kind):
    """[(line, words)] of every comment, docstring, paragraph and item; whole lines below one another are one part."""
    out, last, column = [], -1, 0
    for line, at, alone, words in markdown_lines(text) if kind == "md" else comment_lines(text, kind):
        if out and alone and line == last + 1 and at == column and words.strip() and out[-1][1] and not ITEM.match(words):
            out[-1] = (out[-1][0], f"{out[-1][1]} {words}")
        else:
            out.append((line, words.strip()))
        last, column = line, at
    if kind == "py":
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)) and ast.get_docstring(node):
                out += [(node.body[0].lineno, part) for part in re.split(r"\n\n|\n(?=- |  )", ast.get_docstring(node))]
    return sorted((line, " ".join(words.split())) for line, words in out if words)
