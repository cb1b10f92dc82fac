"""What a text model is told around its role and during a call, in the language that it is to speak."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType


@dataclass(frozen=True)
class Frame:
    """The frame of one language.

    you_are: `{name}`; quiet: `{seconds}`; traits: what a low and a high value are called, by trait.
    """

    you_are: str
    speak: str
    start: str
    quiet: str
    unclear: str
    traits: Mapping[str, tuple[str, str]]
    gap: str = " "  # between sentences


FRAMES: Mapping[str, Frame] = MappingProxyType(
    {
        "en": Frame(
            you_are="You are {name}.",
            speak=(
                "You are on a live voice call and play the role above. Answer with what you say next and "
                "nothing else: one to three short sentences of plain spoken English, no lists, no stage "
                "directions, no quotes. Write numbers as words. What the other says reaches you through "
                "speech recognition and may be misheard. A line of yours that ends in a dash was cut off "
                "there: the rest was not heard."
            ),
            start="(The call is open and nobody has spoken yet. You speak first.)",
            quiet="(Silence on the line for {seconds} seconds.)",
            unclear="(The other said something that could not be understood.)",
            traits={
                "talkativeness": ("You are a person of few words.", "You like to talk."),
                "patience": ("You are impatient.", "You take your time."),
                "compliance": ("You rarely give way.", "You give way easily."),
                "disclosure": ("You keep things to yourself.", "You are open about what you know."),
            },
        ),
        "fr": Frame(
            you_are="Tu es {name}.",
            speak=(
                "Tu es en pleine conversation de vive voix et tu joues le rôle ci-dessus. Réponds seulement "
                "par ce que tu dis ensuite : une à trois phrases courtes, en français parlé tout simple, "
                "sans liste, sans indication de jeu, sans guillemets. Écris les nombres en toutes lettres. "
                "Ce que dit l'autre passe par une reconnaissance vocale et peut être mal compris. Si une de "
                "tes répliques finit par un tiret, elle a été coupée là : la suite n'a pas été entendue."
            ),
            start="(La ligne est ouverte et personne n'a encore parlé. C'est toi qui commences.)",
            quiet="(Silence depuis {seconds} secondes.)",
            unclear="(L'autre a dit quelque chose d'incompréhensible.)",
            traits={
                "talkativeness": ("Tu parles peu.", "Tu aimes parler."),
                "patience": ("Tu n'as pas de patience.", "Tu prends ton temps."),
                "compliance": ("Tu cèdes rarement.", "Tu cèdes facilement."),
                "disclosure": ("Tu gardes les choses pour toi.", "Tu dis volontiers ce que tu sais."),
            },
        ),
        "ja": Frame(
            you_are="あなたは{name}です。",
            speak=(
                "あなたはいま声で会話をしていて、上の役を演じています。次に言うせりふだけを答えてください。"
                "ふだんの話し言葉で短く一文から三文、箇条書き、ト書き、かぎかっこは使いません。"
                "数は漢数字で書いてください。相手の言葉は音声認識を通して届くので、聞き間違いがあるかもしれません。"
                "あなたのせりふがダッシュで終わっていたら、そこで途切れ、続きは相手に聞こえていません。"
            ),
            start="（つながりましたが、まだ誰も話していません。あなたから話してください。）",
            quiet="（{seconds}秒ほど沈黙が続いています。）",
            unclear="（相手が何か言いましたが、聞き取れませんでした。）",
            traits={
                "talkativeness": ("あなたは口数が少ない人です。", "あなたは話し好きです。"),
                "patience": ("あなたはせっかちです。", "あなたはのんびりしています。"),
                "compliance": ("あなたはめったに譲りません。", "あなたはすぐに譲ります。"),
                "disclosure": (
                    "あなたは知っていることをあまり話しません。",
                    "あなたは知っていることを進んで話します。",
                ),
            },
            gap="",
        ),
        "zh": Frame(
            you_are="你是{name}。",
            speak=(
                "你正在跟人当场说话，扮演上面的角色。只回答你接下来要说的话，别的都不写："
                "一到三个短句，用普通的口语，不列条目，不写动作说明，不加引号。数字用汉字写。"
                "对方的话是语音识别转来的，可能听错。你哪一句话末尾有破折号，就是在那里被打断了，后面的没被听到。"
            ),
            start="（已经接通，还没有人开口。你先说。）",
            quiet="（已经安静了{seconds}秒。）",
            unclear="（对方说了句话，没听清。）",
            traits={
                "talkativeness": ("你话不多。", "你爱说话。"),
                "patience": ("你性子急。", "你不慌不忙。"),
                "compliance": ("你很少让步。", "你很容易让步。"),
                "disclosure": ("你知道的事不爱往外说。", "你知道什么就说什么。"),
            },
            gap="",
        ),
    }
)
