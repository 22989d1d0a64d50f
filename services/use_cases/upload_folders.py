"""Where uploaded files lie until they are read: in the data folder, swept when their process is gone."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from services.storage.process_locks import ProcessFolders
from services.use_cases.kept_files import GivenFile, KeptFiles, keep_files
from vta.errors import UpstreamFailed
from vta.faults import Fault


class UploadFolders(ProcessFolders):
    """The folders of uploads, in that of their process."""

    def keep(
        self, given: Sequence[GivenFile], wanted: Callable[[str], bool] = lambda path: True
    ) -> KeptFiles:
        """Keep files in a new folder, see `keep_files`; `UpstreamFailed` where the disk takes them not."""
        try:
            folder = Path(tempfile.mkdtemp(dir=self.own()))
            try:
                return keep_files(given, folder, wanted)
            except BaseException:
                shutil.rmtree(folder, ignore_errors=True)
                raise
        except OSError as error:
            raise UpstreamFailed(Fault("upload.not_kept", reason=error.strerror or "")) from error

    def adopt(self, kept: KeptFiles) -> KeptFiles:
        """The same files, in a folder of this process. `OSError` where they are gone."""
        if kept.folder.parent == self.own():
            return kept
        folder = self.own() / kept.folder.name
        kept.folder.rename(folder)
        files = tuple(folder / each.relative_to(kept.folder) for each in kept.files)
        return replace(kept, folder=folder, files=files)
