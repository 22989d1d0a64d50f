"""The rows of a course's FAQ that are asked of other sessions."""

import json

from lab.evaluation.faq_folds import read_asked


def test_numbers_of_a_spreadsheet_are_texts(tmp_path):
    """An answer that is a number too; one that cannot be given is None."""
    rows = [
        {"id": 7, "session_id": 3, "question": "字符串“c++”占几个字节", "answer": 3},
        {"id": "8", "session_id": "3", "question": 42, "answer": "cannot_answer"},
    ]
    file = tmp_path / "qa.jsonl"
    file.write_text("".join(json.dumps(each) + "\n" for each in rows), encoding="utf-8")
    asked = [(each.id, each.session, each.text, each.answer) for each in read_asked(file)]
    assert asked == [
        ("000000000007", "3", "字符串“c++”占几个字节", "3"),
        ("000000000008", "3", "42", None),
    ]
