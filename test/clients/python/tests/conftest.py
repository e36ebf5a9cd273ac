"""Shared by the tests of all clients: the model's script, and the prompts of the model."""

import asyncio
import functools
import json
import os
import urllib.request

import pytest

BASE = os.environ["BASE"]


def think(text):
    return f"<|channel|>analysis<|message|>{text}<|end|><|start|>assistant"


def preamble(text):
    return f"<|channel|>commentary<|message|>{text}<|end|><|start|>assistant"


def answer(text):
    return f"<|channel|>final<|message|>{text}<|return|>"


def call(name, arguments, namespace="functions."):
    body = arguments if isinstance(arguments, str) else json.dumps(arguments)
    return f"<|channel|>commentary to={namespace}{name} <|constrain|>json<|message|>{body}<|call|>"


HALF_AN_ANSWER = "<|channel|>final<|message|>One two"


def asynchronous(test):
    """Runs a test in its own event loop. The loop of a plugin would fail it for resources that other tests left open."""
    return functools.wraps(test)(lambda **fixtures: asyncio.run(test(**fixtures)))


def _ask(method, path, body=None):
    data = None if body is None else json.dumps(body).encode()
    asked = urllib.request.Request(f"{BASE}{path}", data=data, method=method, headers={"content-type": "application/json"})
    with urllib.request.urlopen(asked) as answered:
        return json.load(answered)


@pytest.fixture(scope="session")
def base_url():
    return f"{BASE}/v1"


@pytest.fixture(scope="session")
def script():
    """script(turn, ...): the name of a model that plays these turns, one for each request. Options: contextLength."""
    return lambda *turns, **options: _ask("POST", "/scripts", {"turns": turns, **options})["model"]


@pytest.fixture
def prompts():
    """prompts(model): the prompts of the model, a list of messages for each request."""
    return lambda model: _ask("GET", f"/scripts/{model}")["prompts"]


@pytest.fixture
def last_results(prompts):
    """last_results(model): the results of tools that the model read in its last prompt, in order."""

    def read(model):
        return [message["content"] for message in prompts(model)[-1] if message["role"] == "tool"]

    return read
