"""Embeddings of a provider, through pydantic-ai's embedding model: one request, one answer.

Only the OpenAI format is served (spec/models.md 9). Retries and limits are the gateway's.
"""

from functools import cached_property
from typing import Any

from openai import AsyncOpenAI
from openai.resources import AsyncEmbeddings
from openai.types import CreateEmbeddingResponse
from pydantic_ai.embeddings.openai import OpenAIEmbeddingModel
from pydantic_ai.embeddings.settings import EmbeddingSettings
from pydantic_ai.providers.openai import OpenAIProvider

from covel_host.models.embeddings import (
    EmbeddedTexts,
    EmbeddingRequest,
    are_vectors_for,
)
from covel_host.models.messages import Usage
from covel_host.models.port import PieceSink
from covel_host.models.provider_errors import broken_reply, provider_error
from covel_host.models.provider_http import http_client, key_for_library
from covel_host.models.slots import Slot
from covel_host.models.wire_settings import sent_options


class ProviderEmbeddings:
    """One slot's embedding model; calls may run at once in one event loop."""

    def __init__(self, slot: Slot) -> None:
        self._slot = slot
        self._http = http_client(slot)
        client = _Client(
            api_key=key_for_library(slot),
            base_url=slot.base_url.value,
            max_retries=0,
            http_client=self._http,
        )
        self._model = OpenAIEmbeddingModel(
            slot.model.value, provider=OpenAIProvider(openai_client=client)
        )

    async def complete(self, request: EmbeddingRequest, *, on_piece: PieceSink) -> EmbeddedTexts:
        """The vectors of one request, sent once.

        Raises:
            ModelError: there is not one usable vector for each text; the library's exception, if
                there is one, is the cause.
        """
        body = sent_options(self._slot)
        settings = EmbeddingSettings(extra_body=body) if body else EmbeddingSettings()
        try:
            result = await self._model.embed(
                list(request.texts), input_type="document", settings=settings
            )
        except Exception as error:
            raise provider_error(error, self._slot) from error
        # The library checks no types: what a server leaves out is None here.
        vectors = tuple(tuple(vector or ()) for vector in result.embeddings)
        if not are_vectors_for(request.texts, vectors):
            raise broken_reply("did not send one vector for each text", self._slot)
        return EmbeddedTexts(
            vectors=vectors,
            usage=Usage(input_tokens=result.usage.input_tokens),
            provider=self._slot.provider.value,
            model=result.model_name or self._slot.model.value,
        )

    async def aclose(self) -> None:
        """Close the connections of this slot."""
        await self._http.aclose()


class _InOrder(AsyncEmbeddings):
    """Vectors in the order of their texts: each says by `index` which text it is of."""

    async def create(self, **asked: Any) -> CreateEmbeddingResponse:
        # Plain numbers: servers that only speak the format know no base64.
        response = await super().create(**{**asked, "encoding_format": "float"})
        data = response.data
        if {item.index for item in data} == set(range(len(data))):
            data.sort(key=lambda item: item.index)
        return response


class _Client(AsyncOpenAI):
    @cached_property
    def embeddings(self) -> AsyncEmbeddings:
        return _InOrder(self)
