"""haystack over both APIs: messages, streams, an agent with tools, structured output, failures."""

import json

import openai
import pytest
from conftest import HALF_AN_ANSWER, answer, call, think
from haystack.components.agents import Agent
from haystack.components.generators.chat import OpenAIChatGenerator, OpenAIResponsesChatGenerator
from haystack.dataclasses import ChatMessage
from haystack.tools import tool
from haystack.utils import Secret
from pydantic import BaseModel


class Weather(BaseModel):
    city: str
    degrees: int


WEATHER = {"city": "Paris", "degrees": 22}
ASKED = [ChatMessage.from_user("Paris?")]


@tool
def get_weather(city: str) -> str:
    """The weather."""
    return f"{city}: 22"


@pytest.fixture(params=[OpenAIResponsesChatGenerator, OpenAIChatGenerator], ids=["responses", "chat"])
def model_of(request, base_url):
    return lambda name, **more: request.param(
        model=name, api_base_url=base_url, api_key=Secret.from_token("none"), max_retries=0, **more
    )


def test_a_message_is_answered(model_of, script):
    assert model_of(script(think("Hm.") + answer("Yes."))).run(ASKED)["replies"][0].text == "Yes."


def test_an_answer_is_streamed(model_of, script):
    pieces = []
    model = model_of(script(answer("One two three.")), streaming_callback=lambda chunk: pieces.append(chunk.content))
    assert model.run(ASKED)["replies"][0].text == "One two three."
    assert "".join(piece for piece in pieces if piece) == "One two three."


@pytest.mark.parametrize("streamed", [False, True])
def test_an_agent_runs_its_tools(model_of, script, last_results, streamed):
    name = script(call("get_weather", {"city": "Paris"}), answer("22 degrees."))
    how = {"streaming_callback": lambda _chunk: None} if streamed else {}
    agent = Agent(chat_generator=model_of(name), tools=[get_weather], **how)
    assert agent.run(messages=ASKED)["last_message"].text == "22 degrees."
    assert last_results(name) == ["Paris: 22"]


def test_a_structured_answer_is_given(model_of, script):
    model = model_of(script(answer(json.dumps(WEATHER))))
    how = "text_format" if isinstance(model, OpenAIResponsesChatGenerator) else "response_format"
    reply = model.run(ASKED, generation_kwargs={how: Weather})["replies"][0].text
    assert Weather.model_validate_json(reply) == Weather(**WEATHER)


def test_a_failure_of_the_engine_raises(model_of, script):
    with pytest.raises(openai.InternalServerError):
        model_of(script([think("Hm."), {"fail": True}])).run(ASKED)


def test_a_stream_that_fails_raises_after_what_was_sampled(model_of, script):
    pieces = []
    name = script([HALF_AN_ANSWER, {"fail": True}])
    with pytest.raises(openai.APIError):
        model_of(name, streaming_callback=lambda chunk: pieces.append(chunk.content)).run(ASKED)
    assert "".join(piece for piece in pieces if piece).startswith("One")


def test_an_agent_whose_engine_fails_raises(model_of, script):
    agent = Agent(chat_generator=model_of(script([think("Hm."), {"fail": True}])), tools=[get_weather])
    with pytest.raises(openai.InternalServerError):
        agent.run(messages=ASKED)
