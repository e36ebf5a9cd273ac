"""Compares all answers that clients got over HTTP with the types of openai: nothing is unknown, missing or wrong.

Sockets are not recorded: test_openai.py compares the events of one.
"""

import collections
import json
import os
import time

import openai
import pytest
from conftest import answer, call, think
from openai_types import BODIES, Failure, kind_of, name_of, path_of, problem_of

# What a run has to contain, in the words of name_of.
ALL_BODIES = {*BODIES, "list of input items", "list of models", "deletion"}

# These answer with text, for monitors.
MONITORED = {"/healthz", "/readyz", "/health", "/metrics"}


def recorded():
    """All exchanges but those of Messages, whose forms are another API's."""
    with open(os.environ["RECORDS"], encoding="utf8") as lines:
        exchanges = [json.loads(line) for line in lines]
    return [exchange for exchange in exchanges if not exchange["path"].startswith("/v1/messages")]


def payloads(exchange):
    """The content of an answer: its JSON, or the data of each of its server-sent events."""
    if path_of(exchange) in MONITORED:
        return
    if exchange["type"].startswith("text/event-stream"):
        for line in exchange["body"].split("\n"):
            if line.startswith("data: ") and line != "data: [DONE]":
                yield json.loads(line[len("data: ") :])
    elif exchange["body"]:
        yield json.loads(exchange["body"])


def named(exchanges):
    """Each object of the answers that were no refusals: (exchange, name, object)."""
    for exchange in exchanges:
        if exchange["status"] < 400:
            for value in payloads(exchange):
                yield exchange, name_of(exchange, value), value


@pytest.fixture(scope="module")
def exchanges(base_url, script):
    """All that was recorded, after one exchange at least for each kind of body."""
    tool = {"type": "function", "name": "get_weather", "parameters": {"type": "object", "properties": {}}}
    chat = {"messages": [{"role": "user", "content": "Well?"}]}
    model = script(think("Hm.") + call("get_weather", {}), answer("22."), answer("They asked."), *[answer("Yes.")] * 2)
    with openai.OpenAI(base_url=base_url, api_key="none", max_retries=0) as client:
        # Not by its methods, as some of these are not in all versions.
        ask = lambda path, **body: client.post(path, body={"model": model, **body}, cast_to=object)
        first = ask("/responses", input="Paris?", tools=[tool])
        result = {"type": "function_call_output", "call_id": first["output"][-1]["call_id"], "output": "22"}
        second = ask("/responses", input=[result], tools=[tool], previous_response_id=first["id"])
        client.get(f"/responses/{second['id']}/input_items?limit=9", cast_to=object)
        ask("/responses/input_tokens", input="Well?")
        ask("/responses/compact", previous_response_id=second["id"])
        ask("/chat/completions", **chat)
        list(client.chat.completions.create(model=model, stream=True, **chat))
        client.responses.delete(second["id"])
        client.models.list()
        client.models.retrieve("gpt-oss")
    # A client has its answer shortly before it is recorded.
    until = time.monotonic() + 10
    while True:
        read = recorded()
        if ALL_BODIES <= {name for _, name, _ in named(read)} or time.monotonic() > until:
            return read
        time.sleep(0.05)


def test_every_answer_is_valid_by_the_types_of_openai(exchanges):
    counts = collections.Counter()
    wrong = []
    for exchange, name, value in named(exchanges):
        counts[name] += 1
        problem = problem_of(exchange, value)
        if problem is not None:
            wrong.append(problem)
    print(dict(counts))
    assert wrong == []
    assert ALL_BODIES <= counts.keys()


def test_every_refusal_says_why_in_the_form_that_clients_read(exchanges):
    refusals = [exchange for exchange in exchanges if exchange["status"] >= 400]
    if not refusals:
        pytest.skip("no answer of these clients was a refusal")
    for exchange in refusals:
        (value,) = payloads(exchange)
        Failure.model_validate(value, strict=True)


def first_of(exchanges, wanted):
    return next((exchange, value) for exchange, name, value in named(exchanges) if name == wanted)


@pytest.mark.parametrize("unknown", [{"type": "response.made_up"}, {"object": "response.made_up"}, {"id": "x"}])
def test_an_object_that_openai_does_not_know_is_refused(unknown):
    exchange = {"method": "POST", "path": "/v1/responses"}
    assert "knows no" in problem_of(exchange, {"sequence_number": 0, **unknown})


def test_an_event_that_is_an_error_by_its_field_alone_is_refused():
    exchange = {"method": "POST", "path": "/v1/responses"}
    why = {"message": "No.", "type": "server_error", "param": None, "code": None}
    assert problem_of(exchange, {"type": "error", "error": why}) is None
    assert "knows no" in problem_of(exchange, {"type": "response.made_up", "error": why})


@pytest.mark.parametrize(
    "name, field, wrong",
    [
        ("response", "created_at", "now"),
        ("response.compaction", "output", [{"type": "made_up"}]),
        ("response.input_tokens", "input_tokens", "5"),
        ("chat.completion", "choices", {}),
        ("chat.completion.chunk", "created", "now"),
        ("model", "id", 5),
        ("list of input items", "data", [{"type": "made_up", "id": "x"}]),
        ("list of models", "data", [{"id": 5}]),
        ("deletion", "deleted", False),
    ],
)
def test_a_body_with_a_wrong_field_is_refused(exchanges, name, field, wrong):
    if kind_of(name) is None:
        pytest.skip(f"openai {openai.__version__} has no class for {name}")
    exchange, value = first_of(exchanges, name)
    assert problem_of(exchange, value) is None
    assert field in problem_of(exchange, {**value, field: wrong})
    assert field in problem_of(exchange, {key: kept for key, kept in value.items() if key != field})
