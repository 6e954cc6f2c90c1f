"""Function words of the language packs' languages, which carry no meaning for a search.

Words that English or code uses for something else (`bin`, `war`, `son`) are excluded.
"""

from __future__ import annotations

import re

# ruff: noqa: RUF001  # Persian letters are what is meant
_BY_LANGUAGE = {
    "es": """
        a al algo algún alguna alguno ante aquel aquella aquí así aunque bajo cada casi como con contra cual cuando
        cuál cuándo cuánto cómo de debe debería del desde donde dónde e el ella ellas ellos en entre era es esa ese
        eso esos esta está están este esto estos fue ha hace hacia han hasta hay he la las le les lo los me mi mis
        mucho muy más nada necesita necesito ni no nos nosotros o otra otro otros para pero poco por porque puede
        puedo pues que quería quiere quieren quiero quién qué se sea según ser si sin sino sobre solo su sus sí sólo
        también tampoco tan tanto te tiene toda todo todos tu u un una uno unos usted ver y ya yo él
    """,
    "pt": """
        à ao aos aquela aquele aqui as até cada com como da das de dela dele depois do dos e ela elas ele eles em
        entre era essa esse esta está estão este eu foi fica for há isso isto já la lhe mais mas me mesmo meu minha
        muito na nas nem no nos nossa nosso não o onde os ou outra outro para pela pelas pelo pelos pode por porque
        precisa preciso qual quando quanto que quem quer queria quero se seja sem ser seu sim sobre sua só tem
        também tudo um uma umas uns vai você vocês é
    """,
    "de": """
        aber alle allem allen als also am an auch auf aus bei beim bis bitte da damit dann das dass dein dem den
        denn der des dessen die dies diese diesem diesen dieser dieses doch dort du durch ein eine einem einen einer
        eines er es etwas euch euer für gegen genau gibt haben hatte hier hinter ich ihm ihn ihr ihre im in ins ist
        ja jede jeder jedes kann kein keine keinen können mehr mein meine mich mir mit muss müssen nach neben nein
        nicht nichts noch nur ob oder ohne schon sehr sein seine sich sie sind so soll sollte sondern statt über um
        und uns unser unter viel vom von vor wann warum was weil welche welcher welches wenn wer werden wie will wir
        wird wo wurde zu zum zur zwischen möchte wäre würde steht stehen gehört braucht
    """,
    "fr": """
        à au aucun aussi autre aux avec avoir ce cela celle celui ces cet cette chaque chez ci comme dans de des
        donc du elle elles en encore entre est et eu il ils je la le les leur leurs lui ma mais me mes mon même ne
        ni nos notre nous on ont ou où par parce pas peu peut plus pour pourquoi qu quand que quel quelle quels qui
        quoi sa sans se ses si sont sous sur ta te tes toi ton tous tout toute toutes tu très un une veut veux
        voudrais vers voici voilà vos votre vous y ça était être faut aurait suis
    """,
    "id": """
        ada adalah agar akan aku anda apa apakah atau bagaimana bagi bahwa bisa bukan bukannya buat dalam dan dapat
        dari dengan di dia dimana hanya harus ia ingin ini itu jadi jangan jika juga kalau kami kamu karena ke
        kenapa kepada ketika kita lagi lain maka mana masih mau melainkan mereka mohon oleh pada perlu punya saat
        saja sama saya sebagai sedang semua seperti siapa sini situ sudah supaya tapi telah tempat tentang terhadap
        tersebut tetapi tidak tolong untuk yaitu yang
    """,
    "fa": """
        آن آنجا آنها از است اش اگر اما این اینجا با بار باشد باید بدون بر برای بعد بود به بین بی تا تر تو جز چرا چند
        چه چون چی چیزی حتی خود خودش دارد دارند در درباره دو دیگر را رو شد شده شما شود فقط کجا کدام کرد کردن کرده کن
        کند که کنم کنید کنیم لطفا لطفاً ما مثل من می میخواهد میخواهم می‌خواهد می‌خواهم میکند نباید نداره ندارد نشان
        نه نمی نیست ها هر هست هستند هم همان همه همین و ولی وقتی پس پیش یا یک یکی بلکه منظورش منظور او
    """,
}

FUNCTION_WORDS: frozenset[str] = frozenset(word for words in _BY_LANGUAGE.values() for word in words.split())
"""Function words of all languages, in lower case; Japanese has none that stand alone."""
_SETS = {language: frozenset(words.split()) for language, words in _BY_LANGUAGE.items()}
_FEWEST = 2
"""Minimum number of function words to recognise a text's language."""
_ENGLISH_WORDS = """
    the a an is are was do does did how what where when why which who of to in on for with and or not it we you i
"""
_ENGLISH = frozenset(_ENGLISH_WORDS.split())


def own_function_words(text: str) -> frozenset[str]:
    """Return the function words of a text's language; none for English or an unknown one."""
    words = set(re.findall(r"[^\W\d_]+", text.lower()))
    english = len(words & _ENGLISH)
    counts = {language: len(words & each) for language, each in _SETS.items()}
    best = max(counts, key=lambda language: counts[language])
    return _SETS[best] if counts[best] >= _FEWEST and counts[best] > english else frozenset()


def is_english(text: str) -> bool:
    """Return whether a text has function words of English, and no more of any other language."""
    words = set(re.findall(r"[^\W\d_]+", text.lower()))
    return len(words & _ENGLISH) >= max(_FEWEST, *(len(words & each) for each in _SETS.values()))
