import json
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from importlib.resources import files
from pathlib import Path

import pytest

from intent.albert import AlbertIntentClassifier, soften
from intent.encoding import TurnText
from lab.intent.evaluation import evaluate
from lab.intent.labels import CATEGORIES, LabelledQuestion
from lab.intent.training import read_shipped_utterances
from vta.errors import InvalidInput
from vta.types.questions import CHIT_CHAT_LABELS, IntentLabel

WEIGHTS = Path(str(files("intent") / "weights"))
PROBES = Path(__file__).parents[2] / "data" / "intent_probes.jsonl"

NAMED = [
    ("你好呀，今天好累", CHIT_CHAT_LABELS),
    ("Hi there, I'm so tired today", CHIT_CHAT_LABELS),
    ("栈和队列有什么区别？", {IntentLabel.COMPLEX}),
    ("What is the difference between precision and recall?", {IntentLabel.COMPLEX}),
    ("什么是栈？", {IntentLabel.SIMPLE}),
    ("What is overfitting?", {IntentLabel.SIMPLE}),
    ("怎么申请证书", {IntentLabel.PLATFORM}),
    ("How do I get the certificate?", {IntentLabel.PLATFORM}),
]
COURSES = ["", "数据结构", "Machine Learning Basics"]


@pytest.fixture(scope="module")
def classifier() -> AlbertIntentClassifier:
    return AlbertIntentClassifier.load()


def read_probes() -> list[LabelledQuestion]:
    rows = [json.loads(line) for line in PROBES.read_text(encoding="utf-8").splitlines()]
    return [
        LabelledQuestion(question=row["question"], label=CATEGORIES[row["category"]], session_id=str(number))
        for number, row in enumerate(rows)
    ]


@pytest.mark.parametrize("course", COURSES)
@pytest.mark.parametrize(("question", "wanted"), NAMED)
def test_plain_examples_are_read_right(
    classifier: AlbertIntentClassifier, question: str, wanted: set[IntentLabel], course: str
) -> None:
    """A greeting with a sigh, a comparison, a definition and a certificate go to their classes anywhere."""
    prediction = classifier.predict(question, course=course)
    assert prediction.label in wanted
    assert (prediction.chit_chat > 0.5) == (prediction.label in CHIT_CHAT_LABELS)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_held_out_probes_are_mostly_read_right(classifier: AlbertIntentClassifier, language: str) -> None:
    """In each language 85 % of the probes fall on the right side of chit-chat, and most get their class."""
    probes = [row for row in read_probes() if (max(row.question) > "\u2fff") == (language == "zh")]
    assert len(probes) >= 30
    result = evaluate(classifier, probes)
    assert result.chit_chat.accuracy is not None
    assert result.chit_chat.accuracy >= 0.85
    assert result.accuracy >= 0.6


def test_probes_are_held_out() -> None:
    """No probe is an utterance of the package."""
    known = {row.question for data in read_shipped_utterances() for row in data.rows}
    assert not known & {row.question for row in read_probes()}


def test_probabilities_sum_to_one_and_h_is_their_chit_chat_part(classifier: AlbertIntentClassifier) -> None:
    """Softmax over six classes; h = P(general) + P(emotional); the label is the likeliest class."""
    for text in (
        "什么是栈",
        "hello",
        "🙂",
        "?",
        "a",
        "嗯",
        "ᚠ",
        "👩‍👩‍👧",
        "x" * 2000,
        "import os\nprint(1)",
        "https://example.org",
    ):
        prediction = classifier.predict(text, previous="a", course="b")
        assert set(prediction.probabilities) == set(IntentLabel)
        assert sum(prediction.probabilities.values()) == pytest.approx(1)
        h = sum(prediction.probabilities[label] for label in CHIT_CHAT_LABELS)
        assert prediction.chit_chat == pytest.approx(h)
        assert prediction.probabilities[prediction.label] == max(prediction.probabilities.values())


def test_many_questions_are_read_as_each_alone(classifier: AlbertIntentClassifier) -> None:
    """Batches change no label, in the order asked, and a probability by 8-bit rounding only, which is shared
    by a batch; nothing asked, nothing answered."""
    turns = [
        TurnText(question="栈" * (1 + number % 9), previous="hi" * (number % 3)) for number in range(130)
    ]
    many = classifier.predict_many(turns)
    for turn, prediction in zip(turns, many, strict=True):
        alone = classifier.predict(turn.question, previous=turn.previous)
        assert prediction.label is alone.label
        assert prediction.probabilities == pytest.approx(alone.probabilities, abs=0.02)
    assert classifier.predict_many([]) == ()


def test_threads_share_a_classifier(classifier: AlbertIntentClassifier) -> None:
    """Eight threads asking at once get what one asker gets."""
    questions = [f"what is {letter}" for letter in "abcdefghij"] * 20
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(classifier.predict, questions)) == [classifier.predict(q) for q in questions]


@pytest.mark.parametrize("question", ["", " \t", "\u200b"])
def test_empty_question_is_refused(classifier: AlbertIntentClassifier, question: str) -> None:
    """Nothing to read is `InvalidInput` on the field `question`."""
    with pytest.raises(InvalidInput) as caught:
        classifier.predict(question, previous="栈")
    assert caught.value.field == "question"


@pytest.mark.parametrize("name", ["model.onnx", "ngrams.npz", "tokenizer.json", "config.json"])
@pytest.mark.parametrize("content", [None, b"", b"{}"])
def test_a_broken_model_folder_names_its_file(tmp_path: Path, name: str, content: bytes | None) -> None:
    """A missing or unusable file of the model is `InvalidInput` naming that file."""
    for file in ("model.onnx", "ngrams.npz", "tokenizer.json", "config.json"):
        shutil.copy(WEIGHTS / file, tmp_path / file)
    AlbertIntentClassifier.load(tmp_path)
    (tmp_path / name).unlink()
    if content is not None:
        (tmp_path / name).write_bytes(content)
    with pytest.raises(InvalidInput, match=name):
        AlbertIntentClassifier.load(tmp_path)


def test_temperature_of_the_folder_is_applied(tmp_path: Path, classifier: AlbertIntentClassifier) -> None:
    """p = softmax(logits / T) with the T of config.json."""
    shutil.copytree(WEIGHTS, tmp_path / "model")
    config = json.loads((WEIGHTS / "config.json").read_text()) | {"temperature": 3.0}
    (tmp_path / "model" / "config.json").write_text(json.dumps(config))
    hot = AlbertIntentClassifier.load(tmp_path / "model")
    expected = soften(classifier.logits([TurnText(question="栈")])[0], 3.0)
    assert list(hot.predict("栈").probabilities.values()) == pytest.approx(list(expected))


def test_serving_loads_neither_torch_nor_transformers() -> None:
    """A fresh process that answers has imported no training library."""
    code = (
        "import sys; from intent.albert import AlbertIntentClassifier as A; A.load().predict('栈');"
        "import lab.intent.evaluation, lab.intent.training;"
        "print(sorted({'torch', 'transformers', 'sklearn', 'onnx', 'scipy'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_weights_are_small() -> None:
    """The model file stays below 3 MB."""
    assert (WEIGHTS / "model.onnx").stat().st_size < 3_000_000


def test_model_card_names_the_data_it_was_trained_on() -> None:
    """The card holds the hash of each file of utterances that it names, as it is in the package."""
    card = (WEIGHTS / "MODEL_CARD.md").read_text(encoding="utf-8")
    named = [data for data in read_shipped_utterances() if f"| {data.name} |" in card]
    assert len(named) >= 4
    assert all(data.sha256 in card for data in named)
