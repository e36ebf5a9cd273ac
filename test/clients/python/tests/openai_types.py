"""What the types of openai have against an object of ours."""

import typing
from typing import Literal, Optional

import openai
import openai.types.responses as responses
import pydantic
from openai.pagination import SyncPage
from openai.types import Model
from openai.types.chat import ChatCompletion, ChatCompletionChunk

try:
    import openai.types.conversations as conversations
except ImportError:
    conversations = None

# The class of each event, by its name.
EVENTS = {}
for kind in typing.get_args(typing.get_args(responses.ResponseStreamEvent)[0]):
    for name in typing.get_args(kind.model_fields["type"].annotation):
        EVENTS[name] = kind


class Closed(pydantic.BaseModel):
    """An object for which openai has no class."""

    model_config = pydantic.ConfigDict(extra="forbid")


class Why(Closed):
    message: str = pydantic.Field(min_length=1)
    type: str = pydantic.Field(min_length=1)
    param: Optional[str]
    code: Optional[str]


class Failure(Closed):
    """An error body, and an error in a stream: clients read the nested error of both."""

    error: Why
    type: Optional[Literal["error"]] = None
    sequence_number: Optional[int] = None


class Deleted(Closed):
    """The answer to a deletion, of which openai reads nothing."""

    id: str
    object: Literal["response"]
    deleted: Literal[True]


# The class of each body, by its `object`. A version of openai may lack a class, and then cannot judge that body.
BODIES = {
    "response": responses.Response,
    "response.compaction": getattr(responses, "CompactedResponse", None),
    "response.input_tokens": getattr(responses, "InputTokenCountResponse", None),
    "chat.completion": ChatCompletion,
    "chat.completion.chunk": ChatCompletionChunk,
    "model": Model,
}


# Of openai 3; earlier versions do not judge them.
if conversations is None or int(openai.__version__.split(".")[0]) < 3:
    CONVERSATIONS = dict.fromkeys(
        ["conversation", "conversation.deleted", "list of conversation items", "conversation item"]
    )
else:
    CONVERSATIONS = {
        "conversation": conversations.Conversation,
        "conversation.deleted": conversations.ConversationDeletedResource,
        "list of conversation items": conversations.ConversationItemList,
        "conversation item": pydantic.RootModel[conversations.ConversationItem],
    }


def path_of(exchange):
    return exchange["path"].split("?")[0]


def name_of(exchange, value):
    """What an object of ours claims to be: the type of an event, the kind of a body."""
    if "error" in value and value.get("type", "error") == "error" and "object" not in value:
        return "error"
    if exchange["method"] == "DELETE" and value.get("object") == "response":
        return "deletion"
    if value.get("object") == "list":
        if path_of(exchange).startswith("/v1/conversations/"):
            # The types demand the ids of items that are not there.
            if value["data"] == [] and value["first_id"] is None and value["last_id"] is None:
                return "empty list"
            return "list of conversation items"
        return "list of models" if path_of(exchange) == "/v1/models" else "list of input items"
    if "/items/" in path_of(exchange) and "type" in value:
        return "conversation item"
    return value.get("type") or value.get("object") or "nameless"


def kind_of(name):
    """The class that reads an object; None if this version of openai has none. Raises KeyError for an unknown name."""
    ours = {"error": Failure, "deletion": Deleted}
    # openai 1 has no class for reasoning in a list of items.
    items = responses.ResponseItemList if int(openai.__version__.split(".")[0]) > 1 else None
    lists = {"list of models": SyncPage[Model], "list of input items": items, "empty list": None, **CONVERSATIONS}
    return {**EVENTS, **BODIES, **lists, **ours}[name]


def problem_of(exchange, value):
    """What the types of openai have against an object; None if nothing."""
    name = name_of(exchange, value)
    try:
        kind = kind_of(name)
        if kind is not None:
            kind.model_validate(value, strict=True)
    except KeyError:
        return f"{exchange['path']}: openai {openai.__version__} knows no {name}"
    except pydantic.ValidationError as error:
        return f"{exchange['path']}: {name}: {error}"
