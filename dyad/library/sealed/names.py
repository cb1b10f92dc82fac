"""Names: ordinary first names for people, and made-up names for what is to be chosen."""

from __future__ import annotations

from dyad.library.names import edit_distance, sound_key, syllables

from .draw import Draw

PLACES = 5  # candidates of a T2 scenario

_PEOPLE = """
    Agnes Aisha Albert Amina Anders Anton Beatrice Bruno Carla Carlos Cecile Clara Conrad Daria David Delia
    Edgar Elena Emil Esther Fatima Felix Flora Gilbert Greta Hanna Harold Hassan Helen Hugo Ida Ines Ivan
    Jasmin Joel Jonas Judith Karim Kenji Klara Laila Leon Lydia Magnus Maria Martin Mei Mina Nadia Noah Nora
    Omar Oscar Paula Pedro Priya Rafael Rita Robert Rosa Samir Selma Simon Stella Tariq Tessa Thomas Ursula
    Vera Victor Walter Yusuf Zara Zoe
"""
PEOPLE = tuple(_PEOPLE.split())
# Starts, vowels, middles and ends: every combination reads as an English name of two or three syllables.
_STARTS = "b br c cl cr d dr f fl fr g gl gr h j k l m n p pl pr qu r s sk sl sp st t tr v w"
_VOWELS = "a e i o u"
_MIDDLES = "l ll lm lt lv m mb n nd nt rl rn rv rz sk st v x z zz"
_ENDS = """
    abar ade amon ane avik ax elisk emory enith erick esk esley essin ibeck idane ifer imont indle inor istow
    ith obry ock oden olin omery onick orath oss ovane udale ulen umwick ustan
"""
_PARTS = tuple(tuple(part.split()) for part in (_STARTS, _VOWELS, _MIDDLES, _ENDS))
# English words and well-known names that these can meet.
_MET = "bastion brander calix clement crusade grenade malabar mandolin mandrake parade pomade terrace"
_KNOWN = frozenset(_MET.split())


def people(draw: Draw) -> tuple[str, str]:
    """Return the names of seats a and b, which begin differently."""
    first = draw.one(PEOPLE)
    return first, draw.one([name for name in PEOPLE if name[0] != first[0]])


def candidates(draw: Draw, taken: frozenset[str]) -> tuple[str, ...]:
    """Return five made-up names, none of them a word of `taken`, that sound, begin and end differently."""
    found: list[str] = []
    while len(found) < PLACES:
        name = "".join(draw.one(part) for part in _PARTS)
        fits = 2 <= syllables(name) <= 3 and "quu" not in name and name not in taken | _KNOWN
        if fits and all(_apart(name, other) for other in found):
            found.append(name)
    return tuple(name.capitalize() for name in found)


def _apart(name: str, other: str) -> bool:
    near = name[0] == other[0] or name[-3:] == other[-3:] or edit_distance(name, other) < 3
    return not near and sound_key(name) != sound_key(other)
