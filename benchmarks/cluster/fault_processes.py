"""A Dask cluster whose scheduler and workers are processes of their own, each of which can be killed."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

START_SECONDS = 60.0
"""How long a process may take to start: ten times what it takes on a busy machine."""

CONNECT_SECONDS = 5.0
"""How long a client looks for its scheduler again, also where that is gone and the client is closed."""

QUIET = {"DASK_LOGGING__DISTRIBUTED": "critical"}
"""Dask reports every lost connection, which here are all on purpose."""


class Processes:
    """A context of one scheduler and some workers of one thread each; nothing of it outlives the context."""

    def __init__(self, n_workers: int, nanny: bool = False) -> None:
        self._n_workers, self._nanny = n_workers, nanny
        self._folder = tempfile.TemporaryDirectory()
        self._started: list[subprocess.Popen[bytes]] = []

    def __enter__(self) -> Processes:
        described = Path(self._folder.name) / "scheduler.json"
        try:
            self._scheduler = self._start("dask_scheduler", "--port", "0", "--scheduler-file", str(described))
            self.address: str = _read(described, self._scheduler)["address"]
            for _ in range(self._n_workers):
                self.add_worker()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        for process in self._started:
            # The worker of a nanny that is gone ends by itself.
            process.kill()
            process.wait()
        self._folder.cleanup()

    def client(self) -> Any:
        """A client of its own, once all workers are there."""
        from distributed import Client

        client = Client(self.address, timeout=CONNECT_SECONDS)
        client.wait_for_workers(self._n_workers, timeout=START_SECONDS)
        return client

    def add_worker(self) -> None:
        """Start one more, which joins in some seconds."""
        options = ["--nanny" if self._nanny else "--no-nanny", "--nthreads", "1", "--memory-limit", "0"]
        # Without a scheduler it ends, should this process be killed as well.
        options += ["--death-timeout", str(START_SECONDS), "--local-directory", self._folder.name]
        self._start("dask_worker", self.address, *options)

    def kill_scheduler(self) -> None:
        """Without a warning."""
        self._scheduler.kill()

    def _start(self, command: str, *arguments: str) -> subprocess.Popen[bytes]:
        process = subprocess.Popen(
            [sys.executable, "-m", f"distributed.cli.{command}", "--no-dashboard", *arguments],
            env=os.environ | QUIET | {"PYTHONPATH": os.pathsep.join(sys.path)},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        self._started.append(process)
        return process


def processes_of_workers(client: Any) -> dict[str, int]:
    """The numbers of their processes by their addresses; a nanny starts a new process where one is killed."""
    found: dict[str, int] = client.run(os.getpid)
    return found


def wait_for_workers(client: Any, n_workers: int, gone: Sequence[str] = ()) -> None:
    """Until there are so many, without those that were killed."""
    end = time.monotonic() + START_SECONDS
    while len(set(client.nthreads()) - set(gone)) < n_workers or set(gone) & set(client.nthreads()):
        if time.monotonic() > end:
            raise TimeoutError(f"{n_workers} workers have not come within {START_SECONDS:g} seconds")
        time.sleep(0.05)


def _read(path: Path, process: subprocess.Popen[bytes]) -> dict[str, Any]:
    """What the scheduler writes once it listens."""
    end = time.monotonic() + START_SECONDS
    while True:
        with suppress(FileNotFoundError, json.JSONDecodeError):
            found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
            return found
        if process.poll() is not None or time.monotonic() > end:
            raise RuntimeError("the scheduler has not started")
        time.sleep(0.05)
