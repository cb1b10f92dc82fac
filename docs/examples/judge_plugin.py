"""A judge of one's own: somebody asked for something where one of some words was said."""

from dyad.judge.case import Case, Subject
from dyad.judge.protocol import Desk, Judge, JudgeFamily, one_by_one
from dyad.judge.silence import question_ids
from dyad.spec import Evidence, Frozen, Label


class Params(Frozen):
    words: tuple[str, ...] = ("please", "could you")  # a setting: judge.words=[lend,give]


def asked(case: Case, words: tuple[str, ...]) -> Label:
    for line in case.lines:
        found = [word for word in words if word in line.text.lower()]
        if found and line.seat == case.seats["a"]:  # role a is the one who wants something
            return Label(question="t3.asked", label="yes", evidence=(Evidence(line=line.id, quote=found[0]),))
    return Label(question="t3.asked", label="no")


def open_judge(params: Params, desk: Desk) -> Judge:
    def labels(subject: Subject) -> list[Label]:
        mine = isinstance(subject, Case) and "t3.asked" in question_ids(subject)
        return [asked(subject, params.words)] if mine else []  # no label: not asked

    return one_by_one(labels)


FAMILY = JudgeFamily(about="words that ask", version="1", params=Params, open=open_judge)
