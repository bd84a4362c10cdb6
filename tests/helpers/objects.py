"""A real server for objects that speaks S3, on loopback, for the run of the tests."""

from __future__ import annotations

import logging
import os
import urllib.request
from collections.abc import Iterator
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from moto.server import ThreadedMotoServer

BUCKET = "chats"
_KEY = "AKIATESTSOFCHATTY000"
_VARIABLES = ("AWS_", "AZURE_", "GOOGLE_")


class ObjectServer:
    """moto's server. What it keeps is kept while it is stopped."""

    def __init__(self) -> None:
        logging.getLogger("werkzeug").setLevel(logging.ERROR)  # a line for each request
        self._server: ThreadedMotoServer | None = None
        self.port = 0
        self.start()

    def start(self) -> None:
        from moto.server import ThreadedMotoServer

        self._server = ThreadedMotoServer("127.0.0.1", self.port, verbose=False)
        self._server.start()
        _host, self.port = self._server.get_host_and_port()

    def stop(self) -> None:
        """End it: connections are refused."""
        if self._server is not None:
            self._server.stop()
            self._server = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def environment(self) -> dict[str, str]:
        """What LanceDB wants to know to use it."""
        return {
            "AWS_ENDPOINT": self.url,
            "AWS_ACCESS_KEY_ID": _KEY,
            "AWS_SECRET_ACCESS_KEY": "secret-of-the-tests",
            "AWS_REGION": "us-east-1",
            "AWS_ALLOW_HTTP": "true",
            "AWS_EC2_METADATA_DISABLED": "true",
        }

    def client(self) -> Any:
        """Amazon's own client."""
        import boto3

        return boto3.client(
            "s3",
            endpoint_url=self.url,
            region_name="us-east-1",
            aws_access_key_id=_KEY,
            aws_secret_access_key="secret-of-the-tests",
        )

    def objects(self, prefix: str = "") -> dict[str, bytes]:
        """Every object of the bucket below a folder, with what is in it."""
        client = self.client()
        pages = client.get_paginator("list_objects_v2").paginate(Bucket=BUCKET, Prefix=prefix)
        names = [each["Key"] for page in pages for each in page.get("Contents", [])]
        return {name: client.get_object(Bucket=BUCKET, Key=name)["Body"].read() for name in names}

    def ask_for_keys(self, wanted: bool) -> None:
        """Whether requests with keys that it did not give out itself are refused."""
        free = "0" if wanted else "inf"
        request = urllib.request.Request(
            f"{self.url}/moto-api/reset-auth", free.encode(), {"Content-Type": "text/plain"}
        )
        with urllib.request.urlopen(request, timeout=20) as answer:
            assert answer.status == 200


@pytest.fixture(scope="session")
def _object_server() -> Iterator[ObjectServer]:
    server = ObjectServer()
    server.client().create_bucket(Bucket=BUCKET)
    yield server
    server.stop()


@pytest.fixture
def object_server(
    _object_server: ObjectServer, monkeypatch: pytest.MonkeyPatch
) -> Iterator[ObjectServer]:
    """A server with an empty bucket; the environment has what is needed to use it."""
    for name in list(os.environ):
        if name.startswith(_VARIABLES):
            monkeypatch.delenv(name)
    for name, value in _object_server.environment.items():
        monkeypatch.setenv(name, value)
    yield _object_server
    _object_server.stop()
    _object_server.start()
    _object_server.ask_for_keys(False)
    client = _object_server.client()
    for name in _object_server.objects():
        with suppress(client.exceptions.NoSuchKey):
            client.delete_object(Bucket=BUCKET, Key=name)
