"""Whether the sources that a page measures are today those of the commit it was measured at.

Compared are contents, not commits: a count of commits since would be wrong again with the next one, and a clone may have
no history. A fingerprint is of the names and git blobs of all files below a path, but for Markdown. That of the commit is
taken once, where the history has it, and kept; that of today is of the working tree.
"""

import hashlib
import subprocess
from pathlib import Path

CHANGED, UNCHANGED = "changed", "unchanged"


class GitError(Exception):
    """Its text is for the user."""


def git(root: Path, *words, given: str = "") -> str:
    done = subprocess.run(["git", "-C", str(root), *words], input=given, capture_output=True, text=True)
    if done.returncode:
        raise GitError(f"git {' '.join(words[:2])}: {done.stderr.strip()}; run it in a checkout of the project")
    return done.stdout


def has_commit(root: Path, commit: str) -> bool:
    """Whether it is an ancestor of what is checked out: others are gone with the next clone."""
    words = ["git", "-C", str(root), "merge-base", "--is-ancestor", commit, "HEAD"]
    return subprocess.run(words, capture_output=True).returncode == 0


def fingerprint(blobs: dict) -> str:
    """blobs: {name: hash of its content}."""
    lines = [f"{name} {blob}" for name, blob in sorted(blobs.items()) if not name.endswith(".md")]
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()[:16]


def at_commit(root: Path, commit: str, path: str) -> str:
    entries = git(root, "ls-tree", "-r", "-z", commit, "--", path).split("\0")
    return fingerprint({name: words.split()[2] for words, _, name in (entry.partition("\t") for entry in entries if entry)})


def today(root: Path, path: str) -> str:
    """Of the tracked files as they lie there, committed or not."""
    names = [name for name in git(root, "ls-files", "-z", "--", path).split("\0") if name and (root / name).is_file()]
    if not names:
        raise GitError(f"{path}: no file of it is tracked; correct its name in reports/index.toml")
    hashes = git(root, "hash-object", "--stdin-paths", given="\n".join(names)).split()
    return fingerprint(dict(zip(names, hashes)))


def commits_since(root: Path, commit: str, paths) -> int:
    return len(git(root, "log", "--oneline", f"{commit}..HEAD", "--", *paths).splitlines())
