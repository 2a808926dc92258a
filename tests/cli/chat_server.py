"""A small OpenAI-compatible server on a real socket, in a thread of its own."""

import contextlib
import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


class ChatServer:
    """Answers every chat request with the same streamed text; `requests` are their bodies."""

    def __init__(self, *pieces: str) -> None:
        self.requests: list[dict[str, Any]] = []
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self, pieces))
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,))
        self._thread.start()

    @property
    def url(self) -> str:
        """The address for `baseUrl`."""
        return f"http://127.0.0.1:{self._server.server_port}/v1"

    def stop(self) -> None:
        """Answer no more; a second call does nothing."""
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


@contextlib.contextmanager
def chat_server(*pieces: str) -> Iterator[ChatServer]:
    """A server that streams `pieces`, stopped at the end."""
    server = ChatServer(*pieces)
    try:
        yield server
    finally:
        server.stop()


def _handler(server: ChatServer, pieces: tuple[str, ...]) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            length = int(self.headers["Content-Length"])
            server.requests.append(json.loads(self.rfile.read(length)))
            self.send_response(200)
            self.send_header("Content-Type", "text/event-stream")
            self.end_headers()
            for event in (*map(_piece, pieces), _end()):
                self.wfile.write(f"data: {json.dumps(event)}\n\n".encode())
            self.wfile.write(b"data: [DONE]\n\n")

        def log_message(self, format: str, *args: Any) -> None:
            return None

    return Handler


def _piece(text: str) -> dict[str, Any]:
    return _chunk({"role": "assistant", "content": text}, None)


def _end() -> dict[str, Any]:
    return _chunk({}, "stop")


def _chunk(delta: dict[str, Any], finish: str | None) -> dict[str, Any]:
    return {
        "id": "chat-1",
        "object": "chat.completion.chunk",
        "created": 1,
        "model": "m1",
        "choices": [{"index": 0, "delta": delta, "finish_reason": finish}],
    }
