"""Consent to research: asked of learners who can be known again, kept by study, exported, erased, revoked."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

from served_platform import Served, bearer

from vta.types.courses import CourseId, Role

COURSE = "stacks-en"
ROOT = f"/v1/courses/{COURSE}"
STUDY = "How students ask.\n\nKept for a year."


def set_study(api: Served, text: str | None) -> Any:
    changed = api.client.patch(f"{ROOT}/settings", json={"research": text}, headers=api.bearer())
    assert changed.status_code == 200, changed.text
    return changed.json()["research"]


def offered(api: Served, headers: dict[str, str]) -> Any:
    return api.client.get(f"{ROOT}/sidebar", headers=headers).json()["research"]


def decide(api: Served, headers: dict[str, str], given: bool, study: str = STUDY) -> Any:
    body = {"given": given, "study": study}
    return api.client.put(f"{ROOT}/research/consent", json=body, headers=headers)


def exported(api: Served) -> Any:
    return api.client.get(f"{ROOT}/learners/ann", headers=api.bearer()).json()["research_consent"]


def test_only_a_learner_who_can_be_known_again_is_asked(api: Served) -> None:
    """And nobody before there is a study; not somebody without a name, without a token, or the platform."""
    ann, nameless = api.learner("ann"), api.learner()
    assert offered(api, ann) is None
    assert set_study(api, f"  {STUDY} \n") == STUDY
    assert offered(api, ann) == {"study": STUDY, "consent": None}
    for nobody in (nameless, {}, api.bearer(Role.PLATFORM)):
        assert offered(api, nobody) is None
        refused = decide(api, nobody, True)
        assert (refused.status_code, refused.json()["fault"]) == (403, "research.nameless")
    assert decide(api, bearer("vta_x"), True).status_code == 401


def test_a_decision_is_kept_by_study_and_can_be_changed(api: Served) -> None:
    """Of one learner in one course; another text asks again, and who read the old one consents to nothing."""
    set_study(api, STUDY)
    ann, bob = api.learner("ann"), api.learner("bob")
    assert decide(api, ann, True).status_code == 204
    assert offered(api, api.learner("ann"))["consent"] is True
    assert offered(api, bob)["consent"] is None
    assert decide(api, ann, False).status_code == 204
    assert offered(api, ann)["consent"] is False
    decide(api, ann, True)
    set_study(api, "Another study.")
    assert offered(api, ann) == {"study": "Another study.", "consent": None}
    stale = decide(api, bob, True)
    assert (stale.status_code, stale.json()["fault"]) == (409, "research.other_study")
    assert offered(api, bob)["consent"] is None
    set_study(api, None)
    assert offered(api, ann) is None
    assert decide(api, ann, True).status_code == 409
    assert decide(api, ann, False).status_code == 204
    assert exported(api)["given"] is False


def test_a_decision_is_exported_and_erased_with_its_learner(api: Served) -> None:
    """By the platform's own id; the decision of another learner stays."""
    set_study(api, STUDY)
    assert exported(api) is None
    bob = api.learner("bob")
    for learner in (api.learner("ann"), bob):
        decide(api, learner, True)
    found = exported(api)
    assert (found["given"], found["study"]) == (True, STUDY)
    assert found["decided_at"].endswith("+00:00")
    assert api.client.delete(f"{ROOT}/learners/ann", headers=bob).status_code == 403
    assert exported(api) == found
    assert api.client.delete(f"{ROOT}/learners/ann", headers=api.bearer(Role.PLATFORM)).status_code == 204
    assert exported(api) is None
    assert offered(api, bob)["consent"] is True


def test_a_copy_asks_for_no_study(api: Served) -> None:
    """A study is for one course; a copy of it begins without."""
    set_study(api, STUDY)
    stores = api.platform.stores
    given = {"experiment": "autumn", "experiment_setting": "hint"}
    stores.settings.change(CourseId(COURSE), lambda found: replace(found, **given))
    copied = api.platform.catalogue.copy(
        CourseId(COURSE), as_id=CourseId("next"), name="Next", later=timedelta(), editor="Ann"
    )
    kept = stores.settings.settings(copied.id)
    assert (kept.research, kept.experiment, kept.experiment_setting) == (None, None, None)
    assert stores.settings.settings(CourseId(COURSE)).research == STUDY
