"""Compares all answers that clients got over HTTP with the types of openai: no required field is missing or wrong."""

import collections
import json
import os
import typing

import pydantic
import pytest
from openai.types import Model
from openai.types.chat import ChatCompletion, ChatCompletionChunk
from openai.types.responses import Response, ResponseStreamEvent

# The class of each event, by its name.
EVENTS = {}
for kind in typing.get_args(typing.get_args(ResponseStreamEvent)[0]):
    for name in typing.get_args(kind.model_fields["type"].annotation):
        EVENTS[name] = kind


def recorded():
    with open(os.environ["RECORDS"], encoding="utf8") as lines:
        return [json.loads(line) for line in lines]


def payloads(answer):
    """The content of an answer: its JSON, or the data of each of its server-sent events."""
    if answer["type"].startswith("text/event-stream"):
        for line in answer["body"].split("\n"):
            if line.startswith("data: ") and line != "data: [DONE]":
                yield json.loads(line[len("data: ") :])
    elif answer["body"]:
        yield json.loads(answer["body"])


def type_of(value):
    """The openai type that reads an object of ours; None for objects that clients read without a type."""
    if "error" in value and "object" not in value:
        return None  # Clients read the nested error of error bodies and error events.
    if value.get("deleted") is True:
        return None  # openai reads nothing of it.
    if value.get("type") in EVENTS:
        return EVENTS[value["type"]]
    kinds = {"response": Response, "chat.completion": ChatCompletion, "chat.completion.chunk": ChatCompletionChunk}
    return {**kinds, "model": Model}.get(value.get("object"))


def test_every_answer_is_valid_by_the_types_of_openai():
    counts = collections.Counter()
    wrong = []
    for answer in recorded():
        if answer["status"] != 200:
            continue
        for value in payloads(answer):
            kind = type_of(value)
            counts[getattr(kind, "__name__", value.get("object") or value.get("type") or "error")] += 1
            if kind is None:
                continue
            try:
                kind.model_validate(value)
            except pydantic.ValidationError as error:
                wrong.append(f"{answer['path']}: {error}")
    print(dict(counts))
    assert wrong == []
    assert sum(counts.values()) > 0


def test_every_refusal_says_why_in_the_form_that_clients_read():
    refusals = [answer for answer in recorded() if answer["status"] >= 400]
    if not refusals:
        pytest.skip("no answer of these clients was a refusal")
    for answer in refusals:
        error = json.loads(answer["body"])["error"]
        assert error["message"] and error["type"] and {"param", "code"} <= error.keys()
