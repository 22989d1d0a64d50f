"""Two small courses, a small intent classifier and an assistant over them; the rest is real."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path

from sql_stores import new_stores

from intent.distress import DistressModel
from knowledge.index.embedded import EmbeddedIndex
from knowledge.vectors.token_table import shipped_encoder
from prompts.chain_of_teach import load_examples
from services.indexing.stored_knowledge import StoredKnowledge
from services.language_model.client import OpenAiLanguageModel
from services.reading.readers import build_readers
from vta.dialogue.assistant import Assistant, Model
from vta.dialogue.course_facts import FactFinder
from vta.dialogue.small_talk import CaringChitChat
from vta.dialogue.teaching.builder import ChainOfTeach
from vta.dialogue.teaching.offline import ComposingTeacher
from vta.dialogue.understanding import Understanding
from vta.ingest.pipeline import ingest
from vta.languages import Language
from vta.ports import Guard, Reranker, WebSearch
from vta.text import Analyser
from vta.types.courses import Course, CourseId, Thresholds
from vta.types.questions import IntentLabel, IntentPrediction

_GREETINGS = ("hello", "thank", "how are you", "你好", "谢谢", "好累", "真累")
_OTHER_TASKS = ("weather", "天气")
_COMPLEX = ("why", "how", "difference", "为什么", "怎么", "区别")


@cache
def shipped_distress() -> DistressModel:
    """The shipped signal of distress, loaded once."""
    return DistressModel.load(shipped_encoder())


class KeywordIntents:
    """`vta.ports.IntentClassifier` by a few words: greetings are chit-chat, "why" and the like are complex,
    the weather is another task.

    Keeps the `previous` questions and courses that it was told, in order.
    """

    def __init__(self) -> None:
        self.told: list[tuple[str, str, str]] = []

    def predict(self, question: str, *, previous: str = "", course: str = "") -> IntentPrediction:
        self.told.append((question, previous, course))
        text = question.lower()
        if any(word in text for word in _GREETINGS):
            label = IntentLabel.GENERAL_CHAT
        elif any(word in text for word in _COMPLEX):
            label = IntentLabel.COMPLEX
        else:
            label = IntentLabel.SIMPLE
        rest = 0.1 / (len(IntentLabel) - 1)
        probabilities = {each: 0.9 if each is label else rest for each in IntentLabel}
        h = probabilities[IntentLabel.GENERAL_CHAT] + probabilities[IntentLabel.EMOTIONAL_CHAT]
        other_task = 0.9 if any(word in text for word in _OTHER_TASKS) else 0.0
        return IntentPrediction(label=label, chit_chat=h, probabilities=probabilities, other_task=other_task)


STACKS_EN: Mapping[str, str] = {
    "notes/stack.md": (
        "# Stacks\n\n"
        "A stack is a linear list that is changed at one end only, the top. Push puts an element on the top; "
        "pop takes the top element away. Both take constant time.\n\n"
        "## Undo\n\n"
        "Editors keep what was done on a stack: the last command is undone first, because it lies on top.\n"
    ),
    "notes/queue.md": (
        "# Queues\n\n"
        "A queue is a linear list that grows at the rear and shrinks at the front. Printers serve their jobs "
        "from a queue, so that the first job is printed first.\n"
    ),
    "faq.csv": (
        "question,answer\n"
        "How do I get a certificate?,Score at least 60 points and pass the final exam in week sixteen.\n"
        "When is the homework due?,Homework is due every Sunday at 23:59.\n"
        "What is a deque?,A deque is a list that grows and shrinks at both ends.\n"
    ),
    "concepts.json": (
        '{"concepts": ['
        '{"name": "linear list", "definition": "A linear list holds elements one after another.", '
        '"domains": ["Data structures"]},'
        '{"name": "stack", "aliases": ["stacks"], '
        '"definition": "A stack is a list that is last in, first out.", '
        '"domains": ["Data structures"], "prerequisites": ["linear list"]},'
        '{"name": "queue", "aliases": ["queues"], '
        '"definition": "A queue is a list that is first in, first out.", '
        '"domains": ["Data structures"], "prerequisites": ["linear list"]}]}'
    ),
}
STACKS_ZH: Mapping[str, str] = {
    "notes/stack.md": (
        "# 栈\n\n"
        "栈是只在一端插入和删除的线性表，这一端叫栈顶。入栈把元素放到栈顶，出栈取走栈顶元素，"
        "都只要常数时间。\n\n"
        "## 撤销\n\n"
        "编辑器把做过的操作放进栈里：最后做的最先撤销，因为它在最上面。\n"
    ),
    "notes/queue.md": ("# 队列\n\n队列在队尾插入、在队头删除。打印机按队列处理任务，先来的先打印。\n"),
    "faq.csv": (
        "question,answer\n"
        "怎样获得课程证书？,总评达到 60 分并通过第十六周的期末考试。\n"
        "作业什么时候截止？,作业每周日 23:59 截止。\n"
    ),
    "concepts.json": (
        '{"concepts": ['
        '{"name": "线性表", "definition": "线性表是元素一个接一个排列的结构。", "domains": ["数据结构"]},'
        '{"name": "栈", "definition": "栈是后进先出的线性表。", "domains": ["数据结构"], '
        '"prerequisites": ["线性表"]},'
        '{"name": "队列", "definition": "队列是先进先出的线性表。", "domains": ["数据结构"], '
        '"prerequisites": ["线性表"]}]}'
    ),
}
COURSES = {
    "stacks-en": (
        Course(
            id=CourseId("stacks-en"),
            name="Stacks and queues",
            domains=("Data structures",),
            language=Language.EN,
        ),
        STACKS_EN,
    ),
    "stacks-zh": (
        Course(id=CourseId("stacks-zh"), name="栈与队列", domains=("数据结构",), language=Language.ZH),
        STACKS_ZH,
    ),
}


def write_files(folder: Path, files: Mapping[str, str]) -> Path:
    """The files under a folder, which is made."""
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    return folder


class SmallPlatform:
    """Both small courses in stores and an index of a folder, and assistants over them."""

    def __init__(self, folder: Path) -> None:
        self.stores = new_stores(folder / "store")
        self.courses, self.documents = self.stores.courses, self.stores.documents
        self.sessions, self.exact_matches = self.stores.sessions, self.stores.exact_matches
        self.index = EmbeddedIndex(folder / "index")
        self.knowledge = StoredKnowledge(
            courses=self.courses, documents=self.documents, edits=self.stores.edits, index=self.index
        )
        self.intents = KeywordIntents()
        self.models: list[OpenAiLanguageModel] = []
        for course, files in COURSES.values():
            self.courses.add(course)
            self.put(course, write_files(folder / course.id, files))

    def put(self, course: Course, folder: Path) -> None:
        """Ingest a folder into a course."""
        report = ingest([folder], course=course, readers=build_readers(), documents=self.documents)
        assert all(each.fault.code == "file.same" for each in report.rejected), report.rejected

    def model(
        self, base_url: str, *, api_key: str = "sk-canary", timeout_s: float = 5.0
    ) -> OpenAiLanguageModel:
        """A client of a language model server; it is asked once."""
        made = OpenAiLanguageModel(
            base_url=base_url, api_key=api_key, model="m", timeout_s=timeout_s, max_retries=0
        )
        self.models.append(made)
        return made

    def assistant(
        self,
        model: OpenAiLanguageModel | None = None,
        thresholds: Thresholds | None = None,
        web: WebSearch | None = None,
        guard: Guard | None = None,
        reranker: Reranker | None = None,
        facts: FactFinder | None = None,
    ) -> Assistant:
        """An assistant over everything here."""
        return Assistant(
            courses=self.courses,
            sessions=self.sessions,
            knowledge=self.knowledge,
            documents=self.documents,
            exact_matches=self.exact_matches,
            understanding=Understanding(
                intents=self.intents,
                distress=shipped_distress(),
                thresholds=thresholds or Thresholds(),
                guard=guard,
                analyser=Analyser(),
            ),
            teacher=ComposingTeacher(),
            chit_chat=CaringChitChat(),
            model=Model(client=model, prompts=ChainOfTeach(load_examples())) if model else None,
            web=web,
            reranker=reranker,
            facts=facts,
        )

    async def aclose(self) -> None:
        for model in self.models:
            await model.aclose()
        self.stores.close()
