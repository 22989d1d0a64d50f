"""A real Elasticsearch for the tests: the bare server from Maven Central, started and stopped by us.

It needs Maven and a JDK of version 21 or later. What was fetched is kept in a cache folder outside the
repository. The server refuses to run as root, so under root it runs as `nobody`.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
import urllib.error
import urllib.request
import zipfile
from pathlib import Path

VERSION = "9.2.0"
ARTIFACT = f"org.elasticsearch.distribution.integ-test-zip:elasticsearch:{VERSION}:zip"
OLDEST_JAVA = 21


class Unavailable(Exception):
    """Elasticsearch cannot be had here; the message says why."""


class ElasticsearchServer:
    """One node. `cluster` names the transport ports of all nodes of its cluster; alone by default."""

    def __init__(self, *, heap: str = "512m", transport: int | None = None, cluster: tuple[int, ...] = ()):
        home, java = fetch(), java_home()
        transport = transport or free_port()
        self.name = f"node-{transport}"
        self._folder = Path(tempfile.mkdtemp(prefix="vta-elasticsearch-"))
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        config = self._folder / "config"
        shutil.copytree(home / "config", config)
        (config / "elasticsearch.yml").write_text(
            _config(self._folder, self.port, transport, cluster), encoding="utf-8"
        )
        (self._folder / "tmp").mkdir()
        identity = {}
        if os.geteuid() == 0:
            for path in (self._folder, *self._folder.rglob("*")):
                shutil.chown(path, "nobody", "nogroup")
            identity = {"user": "nobody", "group": "nogroup", "extra_groups": []}
        environment = {
            "PATH": os.environ["PATH"],
            "ES_JAVA_HOME": str(java),
            "ES_JAVA_OPTS": f"-Xms{heap} -Xmx{heap}",
            "ES_PATH_CONF": str(config),
            "ES_TMPDIR": str(self._folder / "tmp"),
        }
        with (self._folder / "out.log").open("wb") as log:
            self._process = subprocess.Popen(
                [str(home / "bin" / "elasticsearch")],
                env=environment,
                cwd=self._folder,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
                **identity,
            )

    def wait(self, nodes: int = 1, seconds: float = 180) -> None:
        """Return when the cluster has its nodes and answers; `Unavailable` with the log's end otherwise."""
        address = f"{self.url}/_cluster/health?wait_for_nodes={nodes}&wait_for_status=yellow&timeout=5s"
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline and self._process.poll() is None:
            with contextlib.suppress(urllib.error.URLError, OSError):
                urllib.request.urlopen(address, timeout=10).close()
                return
            time.sleep(0.5)
        log = (self._folder / "out.log").read_text(encoding="utf-8", errors="replace")[-2000:]
        self.stop()
        raise Unavailable(f"Elasticsearch did not start:\n{log}")

    def kill(self) -> None:
        """End the node at once, as a power cut does."""
        self._end(signal.SIGKILL)

    def stop(self) -> None:
        """End the node and remove its data."""
        self._end(signal.SIGTERM)
        shutil.rmtree(self._folder, ignore_errors=True)

    def disk_bytes(self) -> int:
        """What the node keeps on disk."""
        return sum(path.stat().st_size for path in (self._folder / "data").rglob("*") if path.is_file())

    def _end(self, sign: signal.Signals) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._process.pid, sign)
        try:
            self._process.wait(30)
        except subprocess.TimeoutExpired:
            os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait(30)


def fetch() -> Path:
    """The unpacked distribution, fetched by Maven where the cache has none."""
    cache = Path("/var/cache") if os.geteuid() == 0 else Path.home() / ".cache"
    home = cache / "vta-tests" / f"elasticsearch-{VERSION}"
    if home.is_dir():
        return home
    maven = shutil.which("mvn")
    if maven is None:
        raise Unavailable("Maven, which fetches Elasticsearch, is not installed")
    home.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=home.parent) as folder:
        command = [
            maven,
            "-q",
            "-B",
            "dependency:copy",
            f"-Dartifact={ARTIFACT}",
            f"-DoutputDirectory={folder}",
        ]
        result = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=600)
        if result.returncode:
            raise Unavailable(f"Maven could not fetch {ARTIFACT}: {result.stdout[-500:]}")
        with zipfile.ZipFile(Path(folder) / f"elasticsearch-{VERSION}.zip") as archive:
            archive.extractall(folder)
        unpacked = Path(folder) / home.name
        for script in (unpacked / "bin").iterdir():
            script.chmod(0o755)
        with contextlib.suppress(FileExistsError):
            unpacked.rename(home)
    return home


def java_home() -> Path:
    """A JDK that is new enough: the one that ES_JAVA_HOME names, or one installed where Debian puts them."""
    named = os.environ.get("ES_JAVA_HOME")
    homes = [Path(named)] if named else sorted(Path("/usr/lib/jvm").glob("*"))
    for home in homes:
        if _java_version(home) >= OLDEST_JAVA:
            return home
    raise Unavailable(f"no JDK of version {OLDEST_JAVA} or later is installed")


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _java_version(home: Path) -> int:
    release = home / "release"
    for line in release.read_text().splitlines() if release.is_file() else ():
        if line.startswith("JAVA_VERSION="):
            return int(line.split('"')[1].split(".")[0])
    return 0


def _config(folder: Path, port: int, transport: int, cluster: tuple[int, ...]) -> str:
    lines = {
        "cluster.name": f"vta-tests-{min(cluster, default=transport)}",
        "node.name": f"node-{transport}",
        "network.host": "127.0.0.1",
        "http.port": port,
        "transport.port": transport,
        "path.data": folder / "data",
        "path.logs": folder / "logs",
        "xpack.security.enabled": "false",
        "cluster.routing.allocation.disk.threshold_enabled": "false",
    }
    if cluster:
        lines["discovery.seed_hosts"] = "[" + ", ".join(f"'127.0.0.1:{each}'" for each in cluster) + "]"
        lines["cluster.initial_master_nodes"] = "[" + ", ".join(f"node-{each}" for each in cluster) + "]"
    else:
        lines["discovery.type"] = "single-node"
    return "".join(f"{key}: {value}\n" for key, value in lines.items())
