"""Random changes of valid run folders never end in a traceback, an undocumented exit code, or a file outside."""

import needs  # noqa: F401  first: it skips

import pytest
from fuzz_folders import answer_of, broken_rule, valid_folders

FOLDERS, SEEDS = 4, 10  # of each folder
pytestmark = pytest.mark.usefixtures("no_pdf")


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    return valid_folders(tmp_path_factory.mktemp("fuzz"))


@pytest.mark.parametrize("which", range(FOLDERS))
def test_a_changed_folder_gives_a_page_or_one_sentence(folders, which):
    assert len(folders) == FOLDERS and answer_of(["report", folders[which]])[0] == 0
    wrong = {seed: broken_rule(folders[which], seed) for seed in range(which, SEEDS * FOLDERS, FOLDERS)}
    assert {seed: said for seed, said in wrong.items() if said} == {}
