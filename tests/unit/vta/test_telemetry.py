"""Nobody outside learns that the program runs."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

_WATCH = """
import os, sys

class Watch:
    def find_spec(self, name, path=None, target=None):
        if name == "onnxruntime":
            print(os.environ.get("ORT_DISABLE_TELEMETRY"))

sys.meta_path.insert(0, Watch())
import {module}
"""


@pytest.mark.parametrize("module", ["intent.albert", "knowledge.vectors.local_model"])
def test_onnx_runtime_is_told_to_report_nothing_before_it_is_loaded(module):
    """Its build for Linux otherwise sends events of its use to mobile.events.data.microsoft.com."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith("ORT_")}
    run = subprocess.run(
        [sys.executable, "-c", _WATCH.format(module=module)],
        env=clean, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert run.stdout == "1\n"
