"""The relations of MOOCCubeX: which concepts a course has, and which video names each first."""

from __future__ import annotations

from pathlib import Path

from concept_graph.mooccubex.lines import read_objects, read_rows
from vta.errors import InvalidInput
from vta.faults import Fault
from vta.types import Course

COURSES = "relations/concept-course.txt"


def choose_course(folder: Path, *, course: Course, source: str | None) -> str | None:
    """The id that a course has in the folder: `source`, else that of the course, else the only one there.

    None where the folder does not tell concepts by course. `InvalidInput` where the course wanted is not
    there, or none is named and there are several.
    """
    file = folder / COURSES
    found = {course_id for _, _, course_id in read_rows(file)} if file.is_file() else set()
    if not found and source is None:
        return None
    for wanted in (source, course.id):
        if wanted in found:
            return wanted
    if source is None and len(found) == 1:
        return min(found)
    fault = Fault("course.unknown", course=source) if source else Fault("concept.sources", count=len(found))
    raise InvalidInput(fault.at(str(file), field="--from"))


def concepts_of_course(folder: Path, chosen: str) -> dict[str, int]:
    """The ids of the concepts of a course, each with the line that says so."""
    rows = read_rows(folder / COURSES)
    return {concept: number for number, concept, course_id in rows if course_id == chosen}


def first_videos(folder: Path, chosen: str) -> dict[str, str]:
    """The name of the first video of a course that names each concept, in the order of the course.

    Empty where one of the files needed is not there, or the course is not among them.
    """
    files = [
        folder / name
        for name in (
            "entities/course.json",
            "entities/video.json",
            "relations/video_id-ccid.txt",
            "relations/concept-video.txt",
        )
    ]
    if not all(file.is_file() for file in files):
        return {}
    courses, videos, ids, concepts = files
    order = _video_ids(courses, chosen)
    places: dict[str, int] = {}
    for _, video_id, ccid in read_rows(ids):
        if video_id in order:
            places[ccid] = min(order[video_id], places.get(ccid, order[video_id]))
    names = {
        entry.string("ccid"): entry.string("name")
        for entry in read_objects(videos)
        if entry.string("ccid", required=True) in places
    }
    first: dict[str, str] = {}
    for _, concept, ccid in read_rows(concepts):
        known = first.get(concept)
        if ccid in names and (known is None or places[ccid] < places[known]):
            first[concept] = ccid
    return {concept: names[ccid] for concept, ccid in first.items()}


def _video_ids(file: Path, chosen: str) -> dict[str, int]:
    """The videos of a course by id, with their places in it."""
    for entry in read_objects(file):
        if entry.string("id", required=True) == chosen:
            videos = [
                each.string("resource_id", required=True)
                for each in entry.objects("resource")
                if each.string("resource_type") == "video"
            ]
            return {id: place for place, id in reversed(list(enumerate(videos)))}
    return {}
