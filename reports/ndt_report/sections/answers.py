"""Answers that are called ok, and which of them are wrong."""

from ..judge.false_answers import false_answer_sentences, false_answers_table, judged_answers
from .section import Section

SECTION = Section(
    "answers",
    "False answers",
    "trust",
    tables=lambda report: {"answers": false_answers_table(judged_answers(report.measurements))},
    template="answers.html.jinja",
    says=lambda report, tables: {"cautions": false_answer_sentences(tables["answers"])},
)
