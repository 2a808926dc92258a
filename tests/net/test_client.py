"""The client against servers of this machine, also against such as mean it ill."""

import asyncio
import gzip
import zlib
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any

import pytest

from covel_host.net.client import HttpClient, HttpRequest
from covel_host.net.errors import HttpFailed
from covel_host.net.headers import checked_headers
from covel_host.net.policy import HttpPolicy
from covel_host.net.urls import Origin, read_url
from plugin_sdk.records import HttpResponse

Answer = Callable[[bytes, asyncio.StreamWriter], Awaitable[None]]


class Server:
    """Answers each connection by `answers` in order; keeps what it was asked."""

    def __init__(self, *answers: bytes | Answer) -> None:
        self._answers = list(answers)
        self._serving: set[asyncio.Task[Any]] = set()
        self._writers: list[asyncio.StreamWriter] = []
        self.asked: list[bytes] = []
        self.port = 0

    @asynccontextmanager
    async def running(self) -> AsyncIterator["Server"]:
        server = await asyncio.start_server(self._served, "127.0.0.1", 0)
        self.port = server.sockets[0].getsockname()[1]
        try:
            yield self
        finally:
            server.close()
            for task in self._serving:
                task.cancel()
            await asyncio.gather(*self._serving, return_exceptions=True)
            for writer in self._writers:
                writer.transport.abort()
            # Both ends of a connection close one step after they were told to.
            await asyncio.sleep(0)
            await asyncio.sleep(0)

    async def _served(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._serving.add(task)
        self._writers.append(writer)
        try:
            head = await reader.readuntil(b"\r\n\r\n")
            length = [
                int(line.partition(b":")[2])
                for line in head.lower().splitlines()
                if line.startswith(b"content-length:")
            ]
            self.asked.append(head + await reader.readexactly(sum(length)))
            answer = self._answers.pop(0)
            if isinstance(answer, bytes):
                writer.write(answer)
                await writer.drain()
            else:
                await answer(head, writer)
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()

    def origin(self, host: str = "127.0.0.1") -> Origin:
        return Origin("http", host, self.port)


class Names:
    """A resolver that gives each look-up of a name its next answer."""

    def __init__(self, answers: Mapping[str, Sequence[Sequence[str]]]) -> None:
        self._answers = {name: list(given) for name, given in answers.items()}
        self.asked: list[str] = []

    async def resolve(self, host: str, port: int) -> Sequence[str]:
        self.asked.append(host)
        given = self._answers.get(host)
        if not given:
            raise OSError("no such name")
        return given.pop(0) if len(given) > 1 else given[0]


def answer(body: bytes = b"ok", *, status: str = "200 OK", **headers: str) -> bytes:
    lines = [f"HTTP/1.1 {status}", f"content-length: {len(body)}", "connection: close"]
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body


def fetched(
    *servers: Server,
    path: str = "/a",
    host: str = "127.0.0.1",
    resolver: Any = None,
    declared: Callable[[], Mapping[Origin, frozenset[str] | None]] | None = None,
    method: str = "GET",
    body: bytes = b"",
    headers: Mapping[str, str] | None = None,
    limit_ms: int = 5_000,
) -> HttpResponse:
    """What the first server answers; all are declared unless `declared` says otherwise."""

    async def main() -> HttpResponse:
        client = HttpClient(resolver=resolver, retry_waits_s=(0.0, 0.0))
        async with asyncio.TaskGroup():
            contexts = [server.running() for server in servers]
            for context in contexts:
                await context.__aenter__()
            try:
                origins = (
                    {server.origin(): None for server in servers}
                    if declared is None
                    else declared()
                )
                address = read_url(f"http://{host}:{servers[0].port}{path}")
                request = HttpRequest(
                    address=address,
                    method=method,
                    headers=checked_headers(headers),
                    body=body,
                    limit_ms=limit_ms,
                )
                return await client.fetch(request, HttpPolicy("The package 'demo'", origins))
            finally:
                await client.close()
                for context in contexts:
                    await context.__aexit__(None, None, None)

    try:
        return asyncio.run(main())
    except BaseExceptionGroup as group:
        raise group.exceptions[0] from None


def code(*servers: Server, **facts: Any) -> str:
    with pytest.raises(HttpFailed) as caught:
        fetched(*servers, **facts)
    return caught.value.code


def test_an_answer_comes_whole_with_its_status_and_headers() -> None:
    server = Server(answer(b"not here", status="404 Not Found", X_Kind="test"))
    response = fetched(server, path="/a?q=é", headers={"Accept": "text/plain"})
    assert (response.status, response.body) == (404, b"not here")
    assert response.headers["x-kind"] == "test"
    assert server.asked[0].startswith(b"GET /a?q=%C3%A9 HTTP/1.1\r\n")
    assert b"accept: text/plain" in server.asked[0].lower()


def test_a_body_is_sent_with_its_length() -> None:
    server = Server(answer())
    fetched(server, method="POST", body=b"abc")
    assert server.asked[0].endswith(b"\r\n\r\nabc")
    assert b"content-length: 3" in server.asked[0].lower()


def test_what_is_not_declared_is_refused_before_anything_is_sent() -> None:
    server = Server()
    assert code(server, declared=dict) == "refused"
    assert code(server, declared=lambda: {server.origin(): frozenset({"POST"})}) == "refused"
    assert server.asked == []


@pytest.mark.parametrize("packed", [gzip.compress, zlib.compress])
def test_a_packed_answer_is_unpacked(packed: Callable[[bytes], bytes]) -> None:
    encoding = "gzip" if packed is gzip.compress else "deflate"
    server = Server(answer(packed(b"hello"), content_encoding=encoding))
    assert fetched(server).body == b"hello"


# --- redirects -------------------------------------------------------------------------------


def test_a_redirect_is_followed_and_credentials_stay_behind() -> None:
    second = Server(answer(b"there"))

    async def onward(head: bytes, writer: asyncio.StreamWriter) -> None:
        to = f"http://127.0.0.1:{second.port}/b"
        writer.write(answer(status="302 Found", Location=to))

    first = Server(onward)
    secret = {"Authorization": "Bearer s3cret", "X-Api-Key": "s3cret", "Accept": "*/*"}
    assert fetched(first, second, headers=secret).body == b"there"
    assert b"s3cret" in first.asked[0]
    assert b"s3cret" not in second.asked[0]
    assert b"accept: */*" in second.asked[0].lower()


def test_a_redirect_to_what_is_not_declared_is_refused() -> None:
    for target in ("http://127.0.0.1:1/x", "https://example.org/", "http://169.254.169.254/meta"):
        server = Server(answer(status="307 Temporary Redirect", Location=target))
        assert code(server) == "refused"


def test_redirects_end() -> None:
    server = Server(*[answer(status="302 Found", Location="/again")] * 6)
    assert code(server) == "unavailable"
    assert len(server.asked) == 6


def test_a_redirected_post_becomes_a_get_without_its_body() -> None:
    server = Server(answer(status="303 See Other", Location="/b"), answer(b"seen"))
    typed = {"Content-Type": "text/plain", "X-Key": "k"}
    assert fetched(server, method="POST", body=b"abc", headers=typed).body == b"seen"
    assert server.asked[1].startswith(b"GET /b ")
    assert b"content-type" not in server.asked[1].lower()
    assert b"x-key: k" in server.asked[1].lower()


def test_a_method_that_the_target_of_a_redirect_does_not_allow_is_refused() -> None:
    second = Server()

    async def onward(head: bytes, writer: asyncio.StreamWriter) -> None:
        to = f"http://127.0.0.1:{second.port}/b"
        writer.write(answer(status="308 Permanent Redirect", Location=to))

    first = Server(onward)
    declared = lambda: {first.origin(): None, second.origin(): frozenset({"GET"})}  # noqa: E731
    assert code(first, second, method="POST", body=b"x", declared=declared) == "refused"
    assert second.asked == []


# --- addresses -------------------------------------------------------------------------------


def named(server: Server, name: str) -> Callable[[], Mapping[Origin, frozenset[str] | None]]:
    return lambda: {server.origin(name): None}


@pytest.mark.parametrize(
    "address", ["127.0.0.1", "10.0.0.8", "169.254.169.254", "::1", "::ffff:127.0.0.1", "fd00::1"]
)
def test_a_public_name_that_leads_inside_is_refused(address: str) -> None:
    server = Server(answer())
    names = Names({"api.example": [[address]]})
    facts = {"resolver": names, "declared": named(server, "api.example"), "host": "api.example"}
    assert code(server, **facts) == "refused"
    assert server.asked == []


def test_one_private_address_among_several_refuses_them_all() -> None:
    server = Server(answer())
    names = Names({"api.example": [["93.184.215.14", "127.0.0.1"]]})
    facts = {"resolver": names, "declared": named(server, "api.example"), "host": "api.example"}
    assert code(server, **facts) == "refused"


def test_a_second_answer_of_a_name_leads_nowhere_else() -> None:
    """The address that was checked is the one that is connected to: a name is asked once."""
    server = Server(answer(status="503 Busy"), answer())
    names = Names({"localhost": [["127.0.0.1"], ["10.0.0.8"]]})
    facts = {"resolver": names, "declared": named(server, "localhost"), "host": "localhost"}
    assert code(server, **facts) == "refused"
    assert names.asked == ["localhost", "localhost"]
    assert len(server.asked) == 1


def test_a_name_that_is_not_found_is_unavailable() -> None:
    server = Server()
    facts = {"resolver": Names({}), "declared": named(server, "gone.example")}
    assert code(server, host="gone.example", **facts) == "unavailable"


class Elsewhere:
    """Lets every origin pass, and none of this machine."""

    def problem(self, origin: Origin, method: str | None) -> str | None:
        return None

    def may_be_loopback(self, origin: Origin) -> bool:
        return False


def test_a_connection_to_this_machine_serves_nobody_who_may_not_reach_it() -> None:
    async def staying(head: bytes, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok")
        await writer.drain()
        await asyncio.Event().wait()

    async def main() -> str:
        client = HttpClient(retry_waits_s=())
        async with Server(staying).running() as server:
            try:
                address = read_url(f"http://127.0.0.1:{server.port}/")
                asked = HttpRequest(
                    address=address, method="GET", headers=[], body=b"", limit_ms=1_000
                )
                allowed = HttpPolicy("The package 'demo'", {server.origin(): None})
                assert (await client.fetch(asked, allowed)).body == b"ok"
                with pytest.raises(HttpFailed) as caught:
                    await client.fetch(asked, Elsewhere())
                return caught.value.code
            finally:
                await client.close()

    assert asyncio.run(main()) == "refused"


# --- limits ----------------------------------------------------------------------------------


async def endless(head: bytes, writer: asyncio.StreamWriter) -> None:
    writer.write(b"HTTP/1.1 200 OK\r\n\r\n")
    piece = b"x" * 65_536
    for _ in range(400):
        writer.write(piece)
        await writer.drain()


async def silent(head: bytes, writer: asyncio.StreamWriter) -> None:
    writer.write(b"HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nab")
    await writer.drain()
    await asyncio.Event().wait()


def test_an_endless_answer_is_cut_off() -> None:
    assert code(Server(endless)) == "unavailable"


def test_a_small_answer_that_unpacks_to_a_large_one_is_cut_off() -> None:
    bomb = gzip.compress(b"\0" * (64 * 1024 * 1024), compresslevel=9)
    assert len(bomb) < 100_000
    assert code(Server(answer(bomb, content_encoding="gzip"))) == "unavailable"


def test_what_follows_the_end_of_a_packed_answer_is_not_gathered() -> None:
    packed = gzip.compress(b"first")
    for more in (b"x" * 100, gzip.compress(b"second")):
        assert code(Server(answer(packed + more, content_encoding="gzip"))) == "unavailable"


def test_an_answer_packed_in_another_way_is_refused() -> None:
    assert code(Server(answer(b"x", content_encoding="br"))) == "unavailable"


def test_a_slow_answer_runs_into_the_limit() -> None:
    assert code(Server(silent), limit_ms=300) == "timeout"


def test_a_broken_answer_is_asked_for_again_only_where_that_repeats_nothing() -> None:
    broken = b"HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nab"
    server = Server(broken, answer(b"whole"))
    assert fetched(server).body == b"whole"
    posted = Server(broken, answer(b"whole"))
    assert code(posted, method="POST") == "unavailable"
    assert len(posted.asked) == 1


@pytest.mark.parametrize("target", ["/b", "http://127.0.0.1:1/b"], ids=["broken", "no-connection"])
def test_a_post_that_was_answered_is_not_sent_again_for_what_follows_it(target: str) -> None:
    onward = answer(status="303 See Other", Location=target)
    broken = b"HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nab"
    server = Server(*([onward, broken] if target == "/b" else [onward]) * 3)
    declared = lambda: {server.origin(): None, Origin("http", "127.0.0.1", 1): None}  # noqa: E731
    assert code(server, method="POST", body=b"pay", declared=declared) == "unavailable"
    assert [asked.split()[0] for asked in server.asked].count(b"POST") == 1


def test_a_busy_server_is_asked_three_times_and_then_answers_for_itself() -> None:
    server = Server(*[answer(status="503 Busy")] * 3)
    assert fetched(server).status == 503
    assert len(server.asked) == 3
    posted = Server(answer(status="503 Busy"))
    assert fetched(posted, method="POST").status == 503
