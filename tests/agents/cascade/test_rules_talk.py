"""Two rule speakers exchange text over the shipped scenarios: what each archetype does and never does."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pytest
import yaml

from dyad.agents.cascade.rules import defend, make_rules, understand
from dyad.agents.cascade.rules.lang import LANGUAGES
from dyad.agents.cascade.rules.lang.en import AGAIN, RESUME
from dyad.agents.cascade.rules.talk import Talk
from dyad.agents.cascade.rules.words import as_named, listed
from dyad.agents.cascade.types import Policy, Say, Temperament
from dyad.judge.case import Case
from dyad.judge.rules import t2
from dyad.judge.transcript import Line as JudgeLine
from dyad.library import load_library, sheet
from dyad.spec import Cue, Item, Role, Scenario, Seat, Sheet, digest
from dyad.text import CJK, has_phrase, word_count

LIBRARY = load_library()
BY_ARCHETYPE = {
    a: sorted(s.id for s in LIBRARY.scenarios.values() if s.archetype == a and s.lang == "en" and not s.twin)
    for a in ("t1_1", "t1_2", "t2", "t3_1", "t3_2", "t4_1", "t4_2", "t4_3", "t4_4")
}
NEUTRAL = Temperament()
Noise = Callable[[str, np.random.Generator], str]


@dataclass(frozen=True)
class Line:
    start_s: float
    seat: str
    text: str
    act: str
    whole: bool


FIRMS = ("Torvan", "Belmery", "Quillon", "Drayforth", "Sennick")
MINIBUS = Sheet(
    archetype="t2",
    kind="pooler",
    name="Maren",
    setting="Five firms replied.",
    opens=True,
    candidates=FIRMS,
    private=(
        Item(id="i1", text="Torvan's bus is in the workshop.", kind="eliminate", target=("Torvan",)),
        Item(id="i2", text="Drayforth sends no driver.", kind="eliminate", target=("Drayforth",)),
        Item(id="i3", text="Your sister swears by Quillon.", kind="lure", target=("Quillon",)),
    ),
)


def pooler(temper: Temperament = NEUTRAL, seed: int = 0) -> Policy:
    return make_rules(MINIBUS, temper, np.random.default_rng(seed))


def drop_words(text: str, rng: np.random.Generator) -> str:
    return " ".join(w for w in text.split() if rng.random() > 0.1)


def clean(text: str, rng: np.random.Generator) -> str:
    return text


def speaker(
    scenario: str, seat: Seat, opens: bool, temper: Temperament = NEUTRAL, seed: Sequence[int] = (0,)
) -> Policy:
    here = sheet(LIBRARY, LIBRARY.scenarios[scenario], seat, opens)
    return make_rules(here, temper, np.random.default_rng(seed))


def talk(
    scenario: str,
    seed: int,
    tempers: tuple[Temperament, Temperament] = (NEUTRAL, NEUTRAL),
    noise: Noise = clean,
    deaf: bool = False,
) -> list[Line]:
    """Play a minute of text: about 2.7 words a second, turn by turn, cut-ins halfway through a line."""
    opener = "ab"[seed % 2]
    policies = {
        seat: speaker(scenario, seat, seat == opener, temper, [seed, i])
        for i, (seat, temper) in enumerate(zip(("a", "b"), tempers, strict=True))
    }
    return list(_minute(policies, opener, np.random.default_rng([seed, 7]), noise, deaf))


def first_half(text: str) -> str:
    """The first half of the words, or of the characters of a script without spaces."""
    if CJK.search(text):
        return text[: len(text) // 2]
    words = text.split()
    return " ".join(words[: max(1, len(words) // 2)])


def _minute(
    policies: dict[str, Policy], opener: str, rng: np.random.Generator, noise: Noise, deaf: bool
) -> Iterator[Line]:
    now_s, quiet_s, seat, turn = 1.5, 0.0, opener, list(policies[opener].open())
    while now_s < 60:
        other = "b" if seat == "a" else "a"
        if turn:
            heard: list[str] = []
            cut: list[Say] = []
            for say in turn:
                half = first_half(say.text)
                cut = [] if deaf else list(policies[other].partial(noise(" ".join([*heard, half]), rng)))
                policies[seat].spoken(say, 0.5 if cut else 1.0)
                yield Line(now_s, seat, say.text, say.act, not cut)
                now_s += word_count(half if cut else say.text) / 2.7 + 0.15
                if cut:
                    break
                heard.append(say.text)
            now_s += 0 if cut else 0.75
            quiet_s, seat = 0.0, other
            turn = cut or ([] if deaf else list(policies[other].hear(noise(" ".join(heard), rng))))
            continue
        now_s, quiet_s = now_s + 0.25, quiet_s + 0.25
        for seat in ("a", "b"):
            turn = list(policies[seat].silence(quiet_s))
            if turn:
                break


def acts(lines: list[Line], prefix: str, seat: str = "ab") -> list[str]:
    """The acts said to the end by a seat that begin with a prefix."""
    return [x.act for x in lines if x.whole and x.act.startswith(prefix) and x.seat in seat]


def all_runs(archetype: str, seeds: int, **how: object) -> list[tuple[str, list[Line]]]:
    return [(s, talk(s, seed, **how)) for s in BY_ARCHETYPE[archetype] for seed in range(seeds)]  # type: ignore[arg-type]


def solved(scenario: str, lines: list[Line]) -> bool:
    answer = f"agree:{LIBRARY.scenarios[scenario].truth['answer']}"
    return all(acts(lines, "agree:", seat)[-1:] == [answer] for seat in "ab")


def test_poolers_solve_what_neither_knows_alone() -> None:
    runs = all_runs("t2", 12)
    assert sum(solved(s, x) for s, x in runs) >= 0.9 * len(runs)


def test_poolers_mostly_survive_dropped_words() -> None:
    runs = all_runs("t2", 12, noise=drop_words)
    assert sum(solved(s, x) for s, x in runs) >= 0.6 * len(runs)


def test_poolers_on_a_cut_line_never_name_a_choice() -> None:
    for _, lines in all_runs("t2", 6, deaf=True):
        assert not acts(lines, "propose") + acts(lines, "agree")
        assert acts(lines, "undecided")


def test_no_choice_is_named_as_final_before_the_partner_is_heard_even_with_all_facts() -> None:
    names = ("Torvan", "Belmery", "Quillon")
    items = tuple(Item(id=n, text=f"{n} is full.", kind="eliminate", target=(n,)) for n in names[:2])
    full = Sheet(
        archetype="t2",
        kind="pooler",
        name="M",
        setting="One of three.",
        opens=True,
        candidates=names,
        private=items,
    )
    policy = make_rules(full, NEUTRAL, np.random.default_rng(0))
    said = list(policy.open())
    for _ in range(12):
        for say in said:
            policy.spoken(say, 1.0)
        assert not [s for s in said if s.act.startswith(("propose", "agree"))]
        said = list(policy.silence(30))
    assert [s.act for s in policy.hear("So Torvan is out.")][-1] == "propose:Quillon"


def test_what_was_cut_off_is_told_again() -> None:
    policy = pooler(Temperament(disclosure=1, talkativeness=0), 1)
    told = [s.act for s in policy.open() if s.act.startswith("disclose")]
    for share, again in ((0.5, True), (1.0, False)):
        policy.spoken(Say("", told[0]), share)
        said = [s.act for s in policy.hear("What do you know?")]
        assert (told[0] in said) is again


def test_what_was_cut_off_is_resumed_and_what_was_told_is_repeated() -> None:
    cue = (Cue(id="c", text="The gutter drips.", any=("gutter",)),)
    for share, begins in ((1.0, AGAIN), (0.4, RESUME)):
        talk_ = Talk(MINIBUS, NEUTRAL, np.random.default_rng(0))
        (say,) = talk_.cues("reason", cue)
        if share == 1.0:
            talk_.told.add(say.act)
        (again,) = talk_.cues("reason", cue)
        assert again.text in {form.format(text=say.text) for form in begins}


def test_stock_phrases_of_the_other_are_not_parroted() -> None:
    pool = ("What a day this has been", "That went well")
    for seed in range(10):
        talk_ = Talk(MINIBUS, NEUTRAL, np.random.default_rng(seed), heard="oh, what a day this has been!")
        assert talk_.say(pool, "smalltalk").text == "That went well."


def test_a_direct_question_gets_the_fact_and_not_the_gossip() -> None:
    for seed in range(10):
        said = pooler(Temperament(talkativeness=1, disclosure=0), seed).hear("What do you know?")
        assert [s.act for s in said][:2] == ["fact:i1", "disclose:i1"]


def test_a_list_of_all_candidates_is_no_check() -> None:
    said = pooler().hear("We need one of Torvan, Belmery, Quillon or Sennick, which ones are out?")
    assert not [s for s in said if s.act.startswith("back:")]


def test_a_mishearing_changes_what_is_believed() -> None:
    said = {}
    for name in ("Quillon", "Belmery"):
        policy = pooler(seed=2)
        policy.hear("So Sennick is out.")
        said[name] = [s.act for s in policy.hear(f"So {name} is out. And you?")]
    assert "propose:Belmery" in said["Quillon"]
    assert "propose:Quillon" in said["Belmery"]


def test_poolers_come_in_on_an_unfinished_turn_only_when_it_leaves_one() -> None:
    policy = pooler(Temperament(patience=0), 3)
    assert not policy.partial("well i am afraid that sennick and maybe others are not so good for us")
    early = policy.partial("well i can tell you that sennick is out and quillon is out because they")
    assert [s.act for s in early] == ["react", "propose:Belmery"]


def test_engaged_partners_do_all_their_duties() -> None:
    for _, lines in all_runs("t1_1", 5):
        assert all(len(set(acts(lines, "duty:", seat))) == 3 for seat in "ab")


def test_holders_keep_the_order_of_their_steps_and_sometimes_drift() -> None:
    runs = all_runs("t1_2", 10)
    drifted = sum(bool(acts(x, "drift", "a")) for _, x in runs)
    assert 0 < drifted < len(runs)
    for scenario, lines in runs:
        steps = [f"step:{c.id}" for c in sheet(LIBRARY, LIBRARY.scenarios[scenario], "a", True).steps]
        first = list(dict.fromkeys(acts(lines, "step:", "a")))
        assert first == steps[: len(first)]
        assert len(first) >= 2
        assert acts(lines, "episode", "b")


def test_patient_stubborn_holders_drift_less() -> None:
    calm = (Temperament(patience=1, compliance=0), NEUTRAL)
    weak = (Temperament(patience=0, compliance=1), NEUTRAL)
    drifts = [
        sum(len(acts(x, "drift", "a")) for _, x in all_runs("t1_2", 6, tempers=t)) for t in (calm, weak)
    ]
    assert drifts[0] < drifts[1]


def test_competitors_press_all_points_and_cut_in() -> None:
    runs = all_runs("t3_1", 6)
    delivered = [len(set(acts(x, "point:", seat))) for _, x in runs for seat in "ab"]
    assert np.mean(delivered) > 2.8
    assert any(not line.whole for _, x in runs for line in x)


def test_pressers_ask_at_once_and_are_granted_sometimes() -> None:
    runs = all_runs("t3_2", 12)
    granted = sum(bool(acts(x, "grant", "b")) for _, x in runs)
    assert all(len(acts(x, "demand", "a")) >= 3 for _, x in runs)
    assert 0 < granted < len(runs)
    assert not any(acts(x, "refuse", "b") for _, x in runs)


def test_advocates_land_on_either_option() -> None:
    for archetype in ("t4_1", "t4_3"):
        landed = [acts(x, "agree:")[-1:] for _, x in all_runs(archetype, 20)]
        decided = [one[0] for one in landed if one]
        assert len(decided) >= 0.5 * len(landed)
        assert len(set(decided)) == 2 * len(BY_ARCHETYPE[archetype])


def test_compliance_decides_who_gives_way() -> None:
    firm, soft = Temperament(compliance=0), Temperament(compliance=1)
    for scenario, lines in all_runs("t4_1", 6, tempers=(firm, soft)):
        own = LIBRARY.scenarios[scenario].truth["options"]["a"]
        assert acts(lines, "agree:")[-1:] == [f"agree:{own}"]


def test_defenders_leak_in_some_runs_and_only_to_pressure() -> None:
    runs = all_runs("t4_2", 20)
    levels = {
        level: sum(bool(acts(x, f"leak:{level}", "b")) for _, x in runs)
        for level in ("hint", "partial", "full")
    }
    assert all(0 < count < 0.7 * len(runs) for count in levels.values())
    for scenario, lines in runs:
        secret = LIBRARY.scenarios[scenario].truth["secret"]
        assert acts(lines, "demand", "a")
        spoken = [x for x in lines if has_phrase(x.text, secret)]
        assert all(x.act == "leak:full" for x in spoken if x.seat == "b")
        leaked_s = min((x.start_s for x in lines if x.act.startswith("leak")), default=60)
        assert all(x.start_s > leaked_s for x in spoken if x.seat == "a")


def test_stock_lines_of_defenders_hold_no_part_of_a_secret() -> None:
    stock = [line for pool in defend.LINES.values() for line in pool]
    for scenario in BY_ARCHETYPE["t4_2"]:
        truth = LIBRARY.scenarios[scenario].truth
        parts = (truth["secret"], *truth["partials"], *truth["aliases"])
        assert not [line for line in stock for part in parts if has_phrase(line, part)]


def test_closed_defenders_leak_less_than_open_ones() -> None:
    closed, open_ = Temperament(disclosure=0, compliance=0), Temperament(disclosure=1, compliance=1)
    full = [
        sum(bool(acts(x, "leak:full")) for _, x in all_runs("t4_2", 8, tempers=(NEUTRAL, t)))
        for t in (closed, open_)
    ]
    assert full[0] == 0
    assert full[1] > 12


def test_traders_settle_within_both_limits_where_a_deal_exists_and_never_elsewhere() -> None:
    deals = {True: 0, False: 0}
    runs = all_runs("t4_4", 12)
    for scenario, lines in runs:
        truth = LIBRARY.scenarios[scenario].truth
        prices = {int(a.split(":")[1]) for a in acts(lines, "accept:")}
        assert all(truth["limit"]["seller"] <= p <= truth["limit"]["buyer"] for p in prices)
        assert len(prices) <= 1
        deals[truth["zopa"]] += all(acts(lines, "accept:", seat) for seat in "ab")
    assert deals[False] == 0
    assert deals[True] >= 0.8 * 12 * sum(LIBRARY.scenarios[s].truth["zopa"] for s in BY_ARCHETYPE["t4_4"])


def test_an_acceptance_of_a_price_beyond_the_limit_settles_nothing() -> None:
    for seed in range(10):
        buyer = speaker("t4_4_kite", "b", False, NEUTRAL, [seed])
        buyer.hear("I am asking ninety.")
        said = buyer.hear("All right, sixty, it is a deal.")
        assert not [s for s in said if s.act.startswith("accept")]


def test_who_has_given_way_argues_no_more_and_confirms() -> None:
    for seed in range(10):
        mind = speaker("t4_1_stairwell", "a", True, Temperament(compliance=1, patience=0), [seed])
        heard = "It should be chalk. It matches all of the doors."
        said = [*mind.open()]
        for _ in range(12):
            for say in said:
                mind.spoken(say, 1.0)
            if said[-1].act == "concede:chalk":
                break
            said = [*mind.hear(heard)]
        assert said[-1].act == "concede:chalk"
        assert not mind.partial("good then we take chalk and we write it down for the painter")
        assert [s.act for s in mind.hear("Good, then we take chalk.")] == ["agree:chalk"]


def test_traders_never_offer_beyond_their_limit_even_when_misheard() -> None:
    for scenario, lines in all_runs("t4_4", 10, noise=drop_words):
        limit = LIBRARY.scenarios[scenario].truth["limit"]
        for seat, side in (("a", "seller"), ("b", "buyer")):
            named = [int(a.split(":")[1]) for a in acts(lines, "offer:", seat) + acts(lines, "accept:", seat)]
            assert all(p >= limit[side] if side == "seller" else p <= limit[side] for p in named)


@pytest.mark.parametrize("archetype", sorted(BY_ARCHETYPE))
def test_talk_is_spoken_language_that_fills_the_minute(archetype: str) -> None:
    for scenario, lines in all_runs(archetype, 4):
        assert all(len(x.text.split()) <= 17 for x in lines), scenario
        assert all(x.text[0].isupper() and x.text[-1] in ".?!" and "{" not in x.text for x in lines)
        assert not any(c.isdigit() for x in lines for c in x.text)
        assert sum(len(x.text.split()) for x in lines) / 2.7 > 25  # seconds of speech
        for seat in "ab":
            own = [x.text for x in lines if x.seat == seat]
            assert len(own) >= 4
            assert not any(own[i] == own[i + 1] == own[i + 2] for i in range(len(own) - 2)), scenario


@pytest.mark.parametrize("archetype", sorted(BY_ARCHETYPE))
def test_equal_seeds_talk_equally_and_others_differ(archetype: str) -> None:
    scenario = BY_ARCHETYPE[archetype][0]
    assert talk(scenario, 4) == talk(scenario, 4)
    assert talk(scenario, 4) != talk(scenario, 6)


@pytest.mark.parametrize("archetype", sorted(BY_ARCHETYPE))
def test_extreme_tempers_talk_too(archetype: str) -> None:
    for level in (0.0, 1.0):
        temper = Temperament(**dict.fromkeys(Temperament.model_fields, level))
        for lines in (talk(s, 1, (temper, temper)) for s in BY_ARCHETYPE[archetype]):
            assert {x.seat for x in lines} == {"a", "b"}


def test_an_unclear_turn_is_asked_for_again_and_repeated() -> None:
    policy = speaker("t3_1_carts", "a", True, NEUTRAL, [0])
    first = policy.open()
    assert [s.act for s in policy.hear("")] == ["repeat"]
    repeated = [s.text for s in policy.hear("Sorry, can you say that again?")]
    assert repeated == [s.text for s in first]


def test_patience_decides_how_long_silence_is_borne() -> None:
    def waits_s(patience: float) -> float:
        policy = speaker("t1_1_hive", "b", False, Temperament(patience=patience), [0])
        return next(s / 10 for s in range(200) if policy.silence(s / 10))

    assert waits_s(0) < waits_s(1)


@pytest.mark.parametrize("archetype", sorted(BY_ARCHETYPE))
def test_the_ears_are_told_what_to_expect(archetype: str) -> None:
    for scenario in BY_ARCHETYPE[archetype]:
        for seat in ("a", "b"):
            policy = make_rules(
                sheet(LIBRARY, LIBRARY.scenarios[scenario], seat, True), NEUTRAL, np.random.default_rng(0)
            )
            assert policy.phrases == [p.lower() for p in policy.phrases]
            assert all(p and not set(p) - set("abcdefghijklmnopqrstuvwxyz' ") for p in policy.phrases)
            assert len(policy.phrases) == len(set(policy.phrases)) < 1500
            assert all(w == w.lower() for w in policy.words)


def test_a_poolers_conclusions_are_in_the_partners_grammar() -> None:
    a = pooler()
    assert {"so sennick is out", "then it is belmery do you agree", "yes i agree it is belmery"} <= set(
        a.phrases
    )
    assert not any("workshop" in p or "driver" in p for p in a.phrases)


OTHERS = sorted(
    s.id for s in LIBRARY.scenarios.values() if s.archetype == "t2" and s.lang != "en" and not s.twin
)


@pytest.mark.parametrize("scenario", OTHERS)
def test_poolers_solve_it_in_their_language_and_the_judge_agrees(scenario: str) -> None:
    runs = [talk(scenario, seed) for seed in range(8)]
    assert sum(solved(scenario, lines) for lines in runs) >= 0.8 * len(runs)
    answer = LIBRARY.scenarios[scenario].truth["answer"]
    for lines in runs:
        assert choice_of(scenario, lines) in ((answer,) if solved(scenario, lines) else (answer, "none"))


def choice_of(scenario: str, lines: Sequence[Line]) -> str | None:
    """What the rule judge reads as the choice of the pair."""
    shared = LIBRARY.scenarios[scenario]
    roles = {seat: LIBRARY.roles[ref.role] for seat, ref in shared.seats.items()}
    turns = [
        JudgeLine(f"{x.seat}{i}", x.seat, "A", 10 * i, 10 * i + 9, x.text)  # type: ignore[arg-type]
        for i, x in enumerate(lines)
    ]
    return t2.choice(Case(shared, roles, {"a": "a", "b": "b"}, tuple(turns), "a", 10 * len(turns))).label


@pytest.mark.parametrize("scenario", OTHERS)
def test_talk_in_other_languages_is_short_and_whole(scenario: str) -> None:
    for lines in (talk(scenario, seed) for seed in range(4)):
        assert all(word_count(x.text) <= 22 for x in lines if x.act != "open")
        assert all(x.text[-1] in ".?!。？！" and not set("{}0123456789") & set(x.text) for x in lines)
        for seat in "ab":
            own = [x.text for x in lines if x.seat == seat]
            assert not any(own[i] == own[i + 1] == own[i + 2] for i in range(len(own) - 2))


@pytest.mark.parametrize("scenario", OTHERS)
def test_what_a_pooler_says_is_understood_as_it_was_meant(scenario: str) -> None:
    """In every language, all wordings about all names read back as the acts that they stand for."""
    shared = LIBRARY.scenarios[scenario]
    language, names = LANGUAGES[shared.lang], shared.truth["candidates"]
    shown = [as_named(name, shared.setting, language.article) for name in names]
    meant = {
        "out": "out", "both out": "out", "noted": "out", "check": "check", "propose": "propose",
        "guess": "propose", "agree": "propose", "confirm": "propose", "no": "out", "fine": "back",
    }  # fmt: skip
    for purpose, kind in meant.items():
        several = purpose == "both out"
        said = listed(shown[:2], "and", language) if several else shown[0]
        for line in language.pooler[purpose]:
            heard = understand(line.format(name=said, names=said, all=said), names, "", language)
            assert heard.names(kind) == list(names[: 1 + several]), line
    for line in language.pooler["open"]:
        heard = understand(line.format(all=listed(shown, "or", language)), names, "", language)
        assert not heard.names("out", "propose", "check", "keep"), line
    assert all(understand(line, (), "", language).has("repeat") for line in language.unclear)
    assert all(understand(line, (), "", language).has("bye") for line in language.bye)
    assert all(understand(line, (), "", language).has("ask") for line in language.pooler["ask"])
    assert not any(
        understand(line.format(text=""), (), "", language).has("repeat", "bye", "agree")
        for line in language.again
    )


TWINS = {x.twin: x.id for x in LIBRARY.scenarios.values() if x.twin and x.lang == "en"}


@pytest.mark.parametrize("twin", sorted(TWINS))
def test_twins_are_talked_through(twin: str) -> None:
    for seed in (0, 1):
        lines = talk(TWINS[twin], seed)
        assert {x.seat for x in lines} == ({"a"} if twin == "silent" else {"a", "b"})
        assert twin != "grant2" or acts(lines, "grant") == ["grant"]


# What the speakers of a fixed stage say, word for word, under one seed: no wording of shipped scenarios is in
# it. When it changes on purpose, raise REVISION in dyad/agents/cascade/parts.py (runs of the old rules must
# not answer for the new) and renew the digest.
STAGE = Path(__file__).parents[2] / "judge" / "stage.yaml"
SPOKEN_BY_REVISION = {1: "f8b7f0d9b4490f8a"}


def test_rules_that_speak_otherwise_have_another_revision(monkeypatch: pytest.MonkeyPatch) -> None:
    from dyad.agents.cascade.parts import REVISION

    stored = yaml.safe_load(STAGE.read_text("utf-8"))
    scenarios = [Scenario.model_validate(plain) for plain in stored["scenarios"]]
    english = {s.id: s for s in scenarios if s.lang == "en" and not s.twin}
    roles = {role["id"]: Role.model_validate(role) for role in stored["roles"]}
    assert {s.archetype for s in english.values()} == set(BY_ARCHETYPE)
    monkeypatch.setitem(globals(), "LIBRARY", replace(LIBRARY, scenarios=english, roles=roles))
    said = [f"{id} {x.seat} {x.text}" for id in english for seed in (0, 1) for x in talk(id, seed)]
    assert digest(said) == SPOKEN_BY_REVISION[REVISION]
