"""Entry of the command line: runs a verb and turns errors into one line and an exit code."""

from __future__ import annotations

import errno
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace

from dyad import __version__
from dyad.cli import agents, annotate, compare, export, help, info, power, prepare, scenarios, verbs
from dyad.cli.args import Args, parse
from dyad.cli.check import judge_check
from dyad.cli.interrupt import terminated_as_interrupted
from dyad.cli.suite import check_named
from dyad.errors import ConfigError, DyadError, Interrupted, Missing, near

UNWRITABLE = (errno.EACCES, errno.EPERM, errno.EROFS, errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


def judge(args: Args) -> int:
    """Label a stored study, or check judges on known answers."""
    if not args.words:
        return verbs.update(args)
    if args.words[0] != "check":
        raise ConfigError(f"judge {args.words[0]}: no such word{near(args.words[0], ['check'])}")
    return judge_check(replace(args, words=args.words[1:]))


def suite(args: Args) -> int:
    """Play a suite's stimuli to an agent, or take its recorded answers, and do every later stage."""
    check_named(args)
    return verbs.run(args)


def plan(args: Args) -> int:
    """Say what `run` would do, or how many scenarios a difference needs."""
    return power.power(args) if power.is_asked(args) else verbs.plan(args)


HANDLERS: dict[str, Callable[[Args], int]] = {
    "run": verbs.run,
    "suite": suite,
    "prepare": prepare.prepare,
    "plan": plan,
    "simulate": verbs.simulate,
    "hear": verbs.hear,
    "judge": judge,
    "annotate": annotate.annotate,
    "measure": verbs.update,
    "table": verbs.table,
    "report": verbs.update,
    "export": export.export,
    "compare": compare.compare,
    "show": info.show,
    "agents": agents.agents,
    "scenarios": scenarios.scenarios,
    "doctor": info.doctor,
}


def run(argv: Sequence[str]) -> int:
    """Run one command line and return its exit code."""
    with terminated_as_interrupted():
        return _run(argv)


def _run(argv: Sequence[str]) -> int:
    try:
        args = parse(argv)
        if args.version:
            print(f"dyad {__version__}")
            return 0
        if args.help:
            print(help.of_verb(args.verb) if args.verb else help.general())
            return 0
        if not args.verb:
            print(help.general(), file=sys.stderr)
            return ConfigError.exit_code
        return HANDLERS[args.verb](args)
    except DyadError as error:
        return _fail(argv, error.exit_code, *(error.lines if isinstance(error, Missing) else [str(error)]))
    except KeyboardInterrupt:
        return _fail(argv, Interrupted.exit_code, "interrupted; run the same command again to go on")
    except BrokenPipeError:
        return 0
    except Exception as error:
        if isinstance(error, OSError) and error.errno in UNWRITABLE:
            where = error.filename or "the disk"
            return _fail(argv, 2, f"{where}: {error.strerror}; make room, allow writing, or give store=DIR")
        text = f"internal error: {type(error).__name__}: {error} (--debug shows the traceback)"
        return _fail(argv, 1, text)


def _fail(argv: Sequence[str], code: int, *lines: str) -> int:
    """Report an error, each of its lines as one, and return the exit code."""
    if "--debug" in argv:
        import traceback

        traceback.print_exc()
    for line in lines:
        print(f"dyad: {' '.join(line.split())}", file=sys.stderr)
    return code
