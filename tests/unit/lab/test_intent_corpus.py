import json
from pathlib import Path

import pytest

from intent.encoding import TurnEncoder
from lab.intent.corpus import cut_pairs, read_corpus
from lab.intent.word_pieces import train_tokenizer
from vta.errors import InvalidInput


def test_texts_of_all_kinds_are_read_without_markup_and_labels(tmp_path: Path) -> None:
    """Markdown, subtitles, CSV and nested JSON Lines give their prose; codes, times and labels do not."""
    (tmp_path / "a.md").write_text("# Stacks\nA **stack** is a list.\n```python\nx = 1\n```\n")
    (tmp_path / "b.srt").write_text("1\n00:00:01,000 --> 00:00:02,000\nLists grow.\n")
    (tmp_path / "c.csv").write_text("question,answer\nWhat is a heap?,A tree.\n")
    rows = [{"question": "什么是栈", "category": "simple"}, [{"parts": [{"text": "Deep text.", "id": "no"}]}]]
    (tmp_path / "d.jsonl").write_text("\n".join(map(json.dumps, rows)))
    (tmp_path / "e.bin").write_bytes(b"\xff")
    texts = {text.name: " ".join(text.documents) for text in read_corpus([tmp_path])}
    assert set(texts) == {"a.md", "b.srt", "c.csv", "d.jsonl"}
    assert "stack" in texts["a.md"]
    assert "x = 1" not in texts["a.md"]
    assert texts["b.srt"].split() == ["Lists", "grow."]
    assert "A tree." in texts["c.csv"]
    assert texts["d.jsonl"].split() == ["什么是栈", "Deep", "text."]


def test_a_text_counts_once(tmp_path: Path) -> None:
    """A file of equal content, and a field of equal text in another file, are not read again."""
    for name in ("a.txt", "b.txt"):
        (tmp_path / name).write_text("Same.")
    for name in ("c.jsonl", "d.jsonl"):
        (tmp_path / name).write_text(json.dumps({"text": "Once.", "id": name}))
    assert [text.documents for text in read_corpus([tmp_path])] == [("Same.",), ("Once.",), ()]


@pytest.mark.parametrize(("name", "content"), [("a.txt", b"\xff\xfe"), ("a.jsonl", b"{"), ("a.bin", b"")])
def test_unreadable_text_is_refused(tmp_path: Path, name: str, content: bytes) -> None:
    """Bytes that are not UTF-8, lines that are not JSON and folders without text are `InvalidInput`."""
    (tmp_path / name).write_bytes(content)
    with pytest.raises(InvalidInput):
        read_corpus([tmp_path])


def test_passages_fill_the_length_and_every_sentence_is_used_once() -> None:
    """Neighbouring passages make a pair, no sentence is lost or doubled, and a pair is not cut."""
    sentences = [f"Sentence {number} of the text." for number in range(100)]
    document = " ".join(sentences)
    encoder = TurnEncoder(train_tokenizer([document], 400), 64)
    pairs = cut_pairs([document], encoder)
    said = " ".join(f"{pair.previous} {pair.question}" for pair in pairs)
    assert [said.count(sentence) for sentence in sentences] == [1] * 100
    assert 5 < len(pairs) < 50
