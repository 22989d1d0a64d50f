"""Where a backup lies: a file, or `s3://BUCKET/KEY` in a store of that kind, by boto3 (the extra `s3`).

boto3 has its own settings for endpoint, region and keys: `AWS_ENDPOINT_URL`, `AWS_ACCESS_KEY_ID` and others.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from vta.errors import Conflict, InvalidInput, VtaError
from vta.faults import Fault

_SCHEME = "s3://"


@contextmanager
def backup_to(target: str, beside: Path) -> Iterator[Path]:
    """The path to write a backup to. That of an `s3://` target is in `beside`, and is uploaded once written.

    `Conflict` where there is one already, `InvalidInput` where it cannot be written.
    """
    if not target.startswith(_SCHEME):
        yield Path(target)
        return
    bucket, key = _parted(target)
    with TemporaryDirectory(prefix="vta-backup-", dir=beside) as folder:
        path = Path(folder, Path(key).name)
        with _faults(target, writes=True):
            client = _client(target)
            found = client.list_objects_v2(Bucket=bucket, Prefix=key, MaxKeys=1).get("Contents", [])
        if [each["Key"] for each in found] == [key]:
            raise Conflict(Fault("archive.exists", path=target), path=target)
        yield path
        with _faults(target, writes=True):
            client.upload_file(str(path), bucket, key)


@contextmanager
def backup_from(target: str, beside: Path) -> Iterator[Path]:
    """The path to read a backup from; an `s3://` target is downloaded into `beside`.

    `InvalidInput` where that fails.
    """
    if not target.startswith(_SCHEME):
        yield Path(target)
        return
    bucket, key = _parted(target)
    beside.mkdir(mode=0o700, parents=True, exist_ok=True)
    with TemporaryDirectory(prefix="vta-backup-", dir=beside) as folder:
        path = Path(folder, Path(key).name)
        with _faults(target, writes=False):
            _client(target).download_file(bucket, key, str(path))
        yield path


def _parted(target: str) -> tuple[str, str]:
    """The bucket and the key of an `s3://` target."""
    bucket, _, key = target.removeprefix(_SCHEME).partition("/")
    if not bucket or not Path(key).name:
        raise InvalidInput(Fault("archive.s3_target", path=target), path=target)
    return bucket, key


def _client(target: str) -> Any:
    try:
        import boto3
    except ImportError as error:
        raise InvalidInput(Fault("archive.s3_extra", path=target), path=target) from error
    return boto3.client("s3")


@contextmanager
def _faults(target: str, *, writes: bool) -> Iterator[None]:
    """`InvalidInput` where the other side, the disk or a setting of boto3 fails."""
    try:
        yield
    except VtaError:
        raise
    except Exception as error:  # boto3 and botocore have no error in common
        reason = str(error)
        unreadable = Fault("archive.unreadable", path=target, reason=reason)
        unwritable = Fault("archive.unwritable", path=target, reason=reason)
        raise InvalidInput(unwritable if writes else unreadable, path=target) from error
