"""Entry of the command line: runs a verb and turns errors into one line and an exit code."""

from __future__ import annotations

import errno
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace

from dyad import __version__
from dyad.cli import agents, annotate, compare, export, info, power, prepare, scenarios, verbs
from dyad.cli.args import VERBS, Args, parse
from dyad.cli.check import judge_check
from dyad.cli.interrupt import terminated_as_interrupted
from dyad.cli.suite import check_named
from dyad.errors import ConfigError, DyadError, Interrupted, Missing, near

USAGE = """usage: python -m dyad VERB [key=value ...] [options]

Two full-duplex speech models on one line, and how each behaves because of the other.

verbs
{verbs}

options are Hydra overrides; commas and ranges sweep inside one plan:
  python -m dyad run pairing=bold_shy task=t2
  python -m dyad run pairing=bold_bold,bold_shy task=t1,t3 seed='range(0,3)'
  python -m dyad run study=demo

  --cfg job         print the composed configuration and stop
  --config-dir DIR  a folder of your own configuration groups (agent/, pairing/, ...)
  -m, --multirun    accepted for habit; sweeps need no flag
  --yes             go on without asking, where a judge costs money
  --json            machine-readable result on standard output
  --debug           tracebacks
exit codes: 0 done, 1 internal error, 2 usage or configuration, 3 some runs failed or are missing,
  4 budget reached, 130 interrupted"""

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
        if args.help or not args.verb:
            print(USAGE.format(verbs="\n".join(f"  {name:10} {text}" for name, text in VERBS.items())))
            return 0
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
