"""A comparison of two settings: set in the console, drawn by learner, counted, and marked in the export."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from axe_core import AXE, RUN
from console_client import open_console
from playwright.sync_api import Page, expect
from scripted_llm import ScriptedLlm
from served_platform import Serve, Served

from services.dialogue.conditions import arm_of
from vta.types.courses import CourseId, Role

QUESTIONS = {"stacks-en": "What is a stack?", "stacks-zh": "什么是栈？"}
HIDDEN = {"stacks-en": "hidden", "stacks-zh": "已隐藏"}
STUDY = "How students ask."

pytestmark = [pytest.mark.browser, pytest.mark.slow]


def vary(api: Served, course: str = "stacks-en", **given: str | None) -> None:
    """Set a comparison, and the study."""
    address, headers = f"/v1/courses/{course}/settings", api.bearer(course=course)
    body = {"experiment": "autumn", "research": STUDY, **given}
    assert api.client.patch(address, json=body, headers=headers).status_code == 200


def exported(api: Served, course: str = "stacks-en") -> list[dict[str, object]]:
    address = f"/v1/courses/{course}/research/turns"
    lines = api.client.get(address, headers=api.bearer(course=course)).text.splitlines()
    return [json.loads(line) for line in lines]


def consent(api: Served, who: dict[str, str], course: str = "stacks-en") -> None:
    address = f"/v1/courses/{course}/research/consent"
    assert api.client.put(address, json={"given": True, "study": STUDY}, headers=who).status_code == 204


@pytest.mark.parametrize("course", QUESTIONS)
def test_a_comparison_is_set_by_keyboard_and_its_arms_are_counted(
    serve: Serve, browser_page: Page, course: str
) -> None:
    """On a phone, in both languages; nothing is shown before five people have asked in each half."""
    api, page = serve(), browser_page
    page.set_viewport_size({"width": 390, "height": 800})
    open_console(api, page, "settings", course)
    page.get_by_test_id("experiment").focus()
    page.keyboard.type("autumn")
    page.keyboard.press("Tab")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Tab")
    with page.expect_navigation():
        page.keyboard.press("Enter")
    expect(page.get_by_test_id("experiment")).to_have_value("autumn")
    check(page)
    found = api.platform.stores.settings.settings(CourseId(course))
    assert (found.experiment, found.experiment_setting) == ("autumn", "explain")
    vary(api, course)
    asked: dict[str, list[dict[str, str]]] = {}
    for n in range(60):
        who = api.learner(f"learner-{n}", course)
        turn = api.ask(QUESTIONS[course], course, who)
        if not n:
            page.goto(f"{api.address}/console/{course}/analytics")
            expect(page.get_by_test_id("comparison").locator("table")).to_have_count(0)
        consent(api, who, course)
        arm = exported(api, course)[-1]["conditions"]["arm"]
        asked.setdefault(arm, []).append(turn)
        assert turn["route"] == ("direct" if arm == "a" else "chain_of_teach")
        if min(len(asked.get(each, ())) for each in "ab") == 5:
            break
    turns = [(turn, {"a": "up", "b": "down"}[each]) for each in "ab" for turn in asked[each]]
    for n, (turn, rating) in enumerate(turns):
        thumb = {"rating": rating}
        address = f"/v1/courses/{course}/turns/{turn['turn_id']}/feedback"
        who = api.bearer(Role.PLATFORM, course)
        assert api.client.post(address, json=thumb, headers=who).status_code == 204
        if not n:
            page.goto(f"{api.address}/console/{course}/analytics")
            expect(page.get_by_test_id("satisfaction-1")).to_have_text(HIDDEN[course])
    page.goto(f"{api.address}/console/{course}/analytics")
    expect(page.get_by_test_id("people-1")).to_have_text(str(len(asked["a"])))
    expect(page.get_by_test_id("questions-2")).to_have_text(str(len(asked["b"])))
    expect(page.get_by_test_id("satisfaction-1")).to_contain_text("100.0% [")
    expect(page.get_by_test_id("satisfaction-2")).to_contain_text("0.0% [0.0%, ")
    expect(page.get_by_test_id("satisfaction-3")).to_contain_text("-100.0% [-100.0%, ")
    expect(page.get_by_test_id("escalated-1")).to_contain_text("0.0% [0.0%,")
    check(page)


def test_only_one_half_gets_hints_and_keeps_getting_them(api: Served) -> None:
    """By the hash of learner and name, for each question anew; nobody does once the name is gone."""
    vary(api, experiment_setting="hint")
    routes: dict[str, set[str]] = {}
    for n in range(12):
        who = api.learner(f"learner-{n}")
        first, second = (api.ask(QUESTIONS["stacks-en"], headers=who)["route"] for _ in range(2))
        assert first == second
        consent(api, who)
        rows = exported(api)[-2:]
        (arm,) = {row["conditions"]["arm"] for row in rows}
        assert {row["conditions"]["experiment"] for row in rows} == {"autumn"}
        routes.setdefault(arm, set()).add(first)
    assert routes == {"a": {"direct"}, "b": {"chain_of_teach"}}
    api.ask(QUESTIONS["stacks-en"])
    vary(api, experiment=None)
    for n in range(12):
        who = api.learner(f"learner-{n}")
        assert api.ask(QUESTIONS["stacks-en"], headers=who)["route"] == "direct"
    last = exported(api)[-1]["conditions"]
    assert (last["experiment"], last["arm"]) == (None, None)


def test_the_other_tone_reaches_the_model_of_one_half(serve: Serve, scripted_llm: ScriptedLlm) -> None:
    """And the export names the model, also the one that the course chose."""
    api = serve(llm_base_url=scripted_llm.base_url, llm_model="m", llm_models="m-2")
    vary(api, experiment_setting="tone", experiment_value="Like a pirate.", model="m-2")
    seen: set[tuple[str, bool]] = set()
    for n in range(12):
        who, before = api.learner(f"learner-{n}"), len(scripted_llm.requests)
        api.ask("Why does recursion need a stack?", headers=who)
        consent(api, who)
        conditions = exported(api)[-1]["conditions"]
        assert conditions["model"] == "m-2"
        sent = json.dumps(scripted_llm.requests[before:], default=str)
        seen.add((conditions["arm"], "Like a pirate." in sent))
    assert seen == {("a", False), ("b", True)}


def test_settings_that_compare_nothing_are_refused(api: Served) -> None:
    """A name without what differs; a value is kept for a tone only."""
    address, headers = "/v1/courses/stacks-en/settings", api.bearer()
    refused = api.client.patch(address, json={"experiment": "autumn"}, headers=headers)
    assert (refused.status_code, refused.json()["fault"]) == (422, "setting.experiment")
    body = {"experiment": "autumn", "experiment_setting": "hint", "experiment_value": "x"}
    kept = api.client.patch(address, json=body, headers=headers).json()
    assert (kept["experiment_setting"], kept["experiment_value"]) == ("hint", None)
    ended = api.client.patch(address, json={"experiment": None}, headers=headers).json()
    assert (ended["experiment"], ended["experiment_setting"]) == (None, None)


def test_each_arm_has_half_of_the_learners() -> None:
    """Within chance, and another name draws them anew."""
    learners = [f"learner-{n}" for n in range(4000)]
    arms = {name: [arm_of(each, name) for each in learners] for name in ("autumn", "spring")}
    same = sum(a == b for a, b in zip(*arms.values(), strict=True))
    for count in (*(each.count("b") for each in arms.values()), same):
        assert 1850 < count < 2150


def check(page: Page) -> None:
    """Nothing overflows, and axe finds no fault."""
    assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
    axe = Path(os.environ.get("VTA_TEST_AXE", AXE))
    if folder := os.environ.get("VTA_TEST_PICTURES"):
        name = page.url.rpartition("/")[2].partition("?")[0]
        page.screenshot(path=Path(folder) / f"{name}.png", full_page=True)
    if axe.exists():
        page.evaluate(axe.read_text(encoding="utf-8"))
        assert page.evaluate(RUN) == []
