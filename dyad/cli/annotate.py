"""The verb `annotate`: people label recorded conversations on a local page."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping

from dyad.annotate.server import Server
from dyad.annotate.session import Session, check_questions, sample_of
from dyad.cli.args import Args
from dyad.cli.progress import say
from dyad.cli.verbs import stored
from dyad.errors import ConfigError
from dyad.judge.humans import initials, judge_name
from dyad.pipeline import Study

USAGE = "study=NAME by=INITIALS [n=60] [seed=0] [questions=t2.choice,…] [port=0] [store=DIR]"
KEYS = {
    "by": "who labels: initials",
    "n": "how many questions are asked; default 60",
    "seed": "which questions are drawn; default 0",
    "questions": "only these, e.g. t2.choice,t4.price",
    "port": "of the page; default 0, any that is free",
}
MOST_ITEMS = 100_000
LAST_PORT = 65_535


def annotate(args: Args) -> int:
    """Serve the page until the person has finished or Ctrl-C; every answer is stored as it is given."""
    own, rest = args.parted(KEYS)
    if "by" not in own:
        raise ConfigError(f"by is missing: who labels? usage: python -m dyad annotate {USAGE}")
    by, port = initials(own["by"]), _number(own, "port", 0, 0, LAST_PORT)
    study = stored(rest)
    if study.suite is not None:
        raise ConfigError(
            f"study '{study.name}' is of a suite; people label conversations only, judges label its trials: "
            f"python -m dyad judge study={study.name} judge=NAME"
        )
    session = _session(study, by, own)
    session.adopt()
    with Server(session, port, say) as server:
        _serve(server)
    return _end(args, session)


def _session(study: Study, by: str, own: Mapping[str, str]) -> Session:
    questions = [name for name in own.get("questions", "").strip("[]").split(",") if name]
    check_questions(questions)
    n, seed = _number(own, "n", 60, 1, MOST_ITEMS), _number(own, "seed", 0, 0, 2**63 - 1)
    return Session(study, by, sample_of(study, n, seed, questions))


def _serve(server: Server) -> None:
    n, done = len(server.session.order), len(server.session.done(server.say))
    say(f"annotate  {n} questions for {server.session.by}, {done} answered")
    say(f"open      {server.url}")
    say("end       Ctrl-C; every answer is stored as it is given")
    try:
        server.serve_forever(poll_interval=0.1)
    except KeyboardInterrupt:
        say("")


def _end(args: Args, session: Session) -> int:
    n, done = len(session.order), len(session.done())
    study = session.study.name
    if args.json:
        print(json.dumps({"study": study, "judge": judge_name(session.by), "n": n, "done": done}))
    left = f"{n - done} left: run the same command again to go on" if done < n else "all done"
    say(f"annotate  {done} of {n} answered, {left}")
    again = f"python -m dyad measure study={study} store={session.study.store.root}"
    say(f"next      {again}: the labels stand there as {judge_name(session.by)}")
    return 0


def _number(own: Mapping[str, str], key: str, default: int, least: int, most: int) -> int:
    text = own.get(key, str(default))
    if not re.fullmatch(r"\d{1,19}", text, re.ASCII) or not least <= int(text) <= most:
        raise ConfigError(f"{key} = '{text}' must be a whole number from {least} to {most}")
    return int(text)
