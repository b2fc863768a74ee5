"""Two rules for English, in comments, docstrings and Markdown: how a text begins, and how long a sentence may be.

words.toml has the number of breaches in each folder. The test fails if there are more, and if there are fewer, so that every mended
one lowers the ceiling for good: python3 tests/docs/test_words.py > tests/docs/words.toml writes the table of today."""

import re
import tomllib
from collections import defaultdict
from pathlib import Path

import pytest
from comments import ROOT, parts, sources

START = re.compile(r"(?:[-*] |\d+\. )?[\W_]*(Of|By|Those|That of|What|Which|Who|Whose|Where|Without|The same|So many|Nor|Else)\b")
SENTENCE = re.compile(r"(?<=[.?!])(?<!e\.g\.)(?<!i\.e\.)(?<!cf\.)(?<!vs\.)(?<!eq\.)\s+")
WORD = re.compile(r"\S*\w\S*")
MOST_WORDS, MOST_SEMICOLONS = 25, 1
ADVICE = {"starts": "begin with a verb or with a noun and its article", "long": "write one idea a sentence, 25 words at most"}


def breaches(text, kind):
    """(rule, line, words) of each breach of a rule."""
    for line, part in parts(text, kind):
        if START.match(part):
            yield "starts", line, part
        for sentence in SENTENCE.split(part):
            if len(WORD.findall(sentence)) > MOST_WORDS or sentence.count(";") > MOST_SEMICOLONS:
                yield "long", line, sentence


def folder_of(path, kind):
    """The key of a file in words.toml: a page's upper folder, a source's two upper ones, or the file if there is none."""
    folders = path.relative_to(ROOT).parts[:-1][:1 if kind == "md" else 2]
    return "/".join(folders) or path.name


def counted():
    """{rule: {folder: [file:line: words]}} of the repository, Markdown apart."""
    found = {rule: defaultdict(list) for rule in ("starts", "long", "markdown_starts", "markdown_long")}
    for path, kind in sources():
        for rule, line, words in breaches(path.read_text(encoding="utf-8"), kind):
            table = found["markdown_" * (kind == "md") + rule]
            table[folder_of(path, kind)].append(f"{path.relative_to(ROOT)}:{line}: {words[:100]}")
    return found


@pytest.fixture(scope="module")
def found():
    return counted()


@pytest.mark.parametrize("rule", ["starts", "long", "markdown_starts", "markdown_long"])
def test_no_folder_has_more_breaches_than_its_ceiling_nor_fewer(rule, found):
    ceilings = tomllib.loads((Path(__file__).parent / "words.toml").read_text(encoding="utf-8"))[rule]
    wrong = []
    for folder in sorted(set(ceilings) | set(found[rule])):
        here, ceiling = found[rule].get(folder, []), ceilings.get(folder, 0)
        if len(here) > ceiling:
            wrong += [f"{folder}: {len(here)} breaches, {ceiling} are allowed; {ADVICE[rule.removeprefix('markdown_')]}:", *here]
        if len(here) < ceiling:
            wrong.append(f"{folder}: {len(here)} breaches, words.toml allows {ceiling}; lower it to {len(here)}")
    assert not wrong, "\n".join(wrong)


def test_no_comment_has_a_ceiling_for_its_first_words():
    assert not tomllib.loads((Path(__file__).parent / "words.toml").read_text(encoding="utf-8"))["starts"]


LONG = " ".join(["word"] * 26)


@pytest.mark.parametrize("kind, text, expected", [
    ("//", "int a;  ///< Of all\n// The same\n", ["starts 1", "starts 2"]),
    ("//", 'f("// What");\n/// A thing.\n/// What ends.\n', []),
    ("//", f"// Returns\n// {LONG}.\n// One; two; three.\n", ["long 1", "long 1"]),
    ("//", f"// {LONG[:-5]}.\n//   {LONG[:-5]}\n", []),
    ("py", f'"""By hand.\n\nWithout\n"""\nx = "# Of"  # Those\n\n\ndef f():\n    """{LONG}"""\n', ["starts 1", "starts 1", "starts 5", "long 9"]),
    ("#", "# Whose\nset(a b)  # Where\n", ["starts 1", "starts 2"]),
    ("md", f"# By\n\n- Of a\n- A b\n\n| Of |\n\n{LONG[:-10]}\nWhat.\n\n```\nOf\n```\n**Without** it.\n", ["starts 3", "starts 14"]),
])
def test_the_checker_sees_what_is_wrong(kind, text, expected):
    assert [f"{rule} {line}" for rule, line, _ in breaches(text, kind)] == expected


if __name__ == "__main__":
    print("# The breaches of the rules in test_words.py, by folder. A number may only fall.")
    for rule, folders in counted().items():
        print(f"\n[{rule}]", *(f'"{folder}" = {len(folders[folder])}' for folder in sorted(folders)), sep="\n")
