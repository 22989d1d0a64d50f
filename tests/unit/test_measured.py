"""docs/measured.md and docs/runs/README.md are what the records say."""

from benchmarks import measured


def test_the_pages_are_what_the_records_say():
    """Run `make measured` where this fails."""
    for page, text in measured.pages().items():
        assert page.read_text(encoding="utf-8") == text
