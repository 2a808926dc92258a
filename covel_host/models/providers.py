"""The built-in providers: endpoint and protocol of each (spec/models.md 3)."""

import importlib.util
import ipaddress
from dataclasses import dataclass
from typing import Literal
from urllib.parse import urlsplit

from covel_host.models.errors import ModelError, config_error

Protocol = Literal[
    "openai-chat-v1",
    "openai-responses-v1",
    "anthropic-messages-v1",
    "google-generative-ai-v1",
    "typesafe-systemone-v1",
    "openrouter-decisions-v1",
    "vercel-evaluation-v4",
    "openai-decisions-v1",
]
"""Request formats that a slot may name; `SERVED_PROTOCOLS` are the ones that are served."""

SERVED_PROTOCOLS: tuple[Protocol, ...] = (
    "openai-chat-v1",
    "openai-responses-v1",
    "anthropic-messages-v1",
    "google-generative-ai-v1",
)

EMBEDDING_PROTOCOLS: tuple[Protocol, ...] = ("openai-chat-v1", "openai-responses-v1")
"""Protocols whose providers turn texts into vectors; the format of those requests is one."""

_EXTRAS: dict[Protocol, tuple[str, str]] = {
    "anthropic-messages-v1": ("anthropic", "anthropic"),
    "google-generative-ai-v1": ("google", "google.genai"),
}
"""The extra a protocol needs, and the module that shows that it is there."""


@dataclass(frozen=True, slots=True)
class BuiltinProvider:
    """A provider known by name; `base_url` is its official (or usual local) address."""

    base_url: str
    protocol: Protocol = "openai-chat-v1"


BUILTIN_PROVIDERS: dict[str, BuiltinProvider] = {
    "openai": BuiltinProvider("https://api.openai.com/v1"),
    "anthropic": BuiltinProvider("https://api.anthropic.com/v1", "anthropic-messages-v1"),
    "google": BuiltinProvider(
        "https://generativelanguage.googleapis.com/v1beta", "google-generative-ai-v1"
    ),
    "deepseek": BuiltinProvider("https://api.deepseek.com/v1"),
    "dashscope": BuiltinProvider("https://dashscope.aliyuncs.com/compatible-mode/v1"),
    "xai": BuiltinProvider("https://api.x.ai/v1"),
    "mistral": BuiltinProvider("https://api.mistral.ai/v1"),
    "groq": BuiltinProvider("https://api.groq.com/openai/v1"),
    "together": BuiltinProvider("https://api.together.xyz/v1"),
    "fireworks": BuiltinProvider("https://api.fireworks.ai/inference/v1"),
    "moonshot": BuiltinProvider("https://api.moonshot.cn/v1"),
    "zhipu": BuiltinProvider("https://open.bigmodel.cn/api/paas/v4"),
    "siliconflow": BuiltinProvider("https://api.siliconflow.cn/v1"),
    "volcengine": BuiltinProvider("https://ark.cn-beijing.volces.com/api/v3"),
    "openrouter": BuiltinProvider("https://openrouter.ai/api/v1"),
    "vercel": BuiltinProvider("https://ai-gateway.vercel.sh/v1"),
    "typesafe": BuiltinProvider("https://api.typesafe.ai", "typesafe-systemone-v1"),
    "ollama": BuiltinProvider("http://127.0.0.1:11434/v1"),
    "lmstudio": BuiltinProvider("http://127.0.0.1:1234/v1"),
    "llamacpp": BuiltinProvider("http://127.0.0.1:8080/v1"),
    "vllm": BuiltinProvider("http://127.0.0.1:8000/v1"),
    "litellm": BuiltinProvider("http://127.0.0.1:4000/v1"),
}


def missing_extra(protocol: Protocol, *, slot_name: str) -> ModelError | None:
    """Why `protocol` cannot be spoken here, with the command that installs what is missing."""
    extra, module = _EXTRAS.get(protocol, ("", ""))
    if not extra or _is_installed(module):
        return None
    return config_error(
        f"Slot {slot_name!r} speaks {protocol!r}, which needs the extra {extra!r} of covel-host, "
        "and that is not installed.",
        hint=f"Run: pip install 'covel-host[{extra}]'",
        slot=slot_name,
    )


def _is_installed(module: str) -> bool:
    try:
        return importlib.util.find_spec(module) is not None
    except ModuleNotFoundError:
        # A package above it is missing.
        return False


def key_variable(provider: str) -> str:
    """The environment variable that holds the key of `provider`: `my-lab` -> `MY_LAB_API_KEY`."""
    return f"{provider.upper().replace('-', '_')}_API_KEY"


def is_loopback(url: str) -> bool:
    """Whether `url` points at this machine, which needs neither https nor a key."""
    host = urlsplit(url).hostname or ""
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def same_origin(url: str, other: str) -> bool:
    """Whether both addresses have one scheme, host and port, so a key for one fits the other."""
    first, second = urlsplit(url), urlsplit(other)
    return (first.scheme, first.hostname, first.port) == (
        second.scheme,
        second.hostname,
        second.port,
    )
