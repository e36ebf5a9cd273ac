"""llama-index over both APIs: complete, chat, streams, structured output, agents, failures."""

import json

import openai
import pytest
from conftest import HALF_AN_ANSWER, answer, asynchronous, call, think
from llama_index.core.agent.workflow import AgentStream, FunctionAgent, ReActAgent
from llama_index.core.llms import ChatMessage
from llama_index.core.prompts import PromptTemplate
from llama_index.core.tools import FunctionTool
from llama_index.llms.openai import OpenAI, OpenAIResponses
from pydantic import BaseModel

# It knows only the context lengths of OpenAI's models, which it looks up by the model's name.
from llama_index.llms.openai import base as chat_base
from llama_index.llms.openai import responses as responses_base

for module in (chat_base, responses_base):
    module.openai_modelname_to_contextsize = lambda _name: 131_072


class Weather(BaseModel):
    """The weather."""

    city: str
    degrees: int


WEATHER = {"city": "Paris", "degrees": 22}


def get_weather(city: str) -> str:
    """The weather."""
    return f"{city}: 22"


TOOL = FunctionTool.from_defaults(get_weather)


@pytest.fixture(params=[OpenAIResponses, OpenAI], ids=["responses", "chat"])
def model_of(request, base_url):
    class Served(request.param):
        """Its list of models that call functions has only OpenAI's names."""

        @property
        def metadata(self):
            return super().metadata.model_copy(update={"is_function_calling_model": True, "is_chat_model": True})

        def _should_use_structure_outputs(self):
            return True

    return lambda name, **more: Served(model=name, api_base=base_url, api_key="none", max_retries=0, **more)


def asked(text):
    return [ChatMessage(role="user", content=text)]


def test_complete_gives_the_text(model_of, script):
    assert model_of(script(think("Hm.") + answer("Yes."))).complete("Well?").text == "Yes."


def test_chat_gives_the_text(model_of, script):
    assert model_of(script(answer("Yes."))).chat(asked("Well?")).message.content == "Yes."


def test_a_chat_is_streamed(model_of, script):
    pieces = [one.delta for one in model_of(script(answer("One two three."))).stream_chat(asked("Count."))]
    assert "".join(piece for piece in pieces if piece) == "One two three."


def test_a_completion_is_streamed(model_of, script):
    assert list(model_of(script(answer("One two three."))).stream_complete("Count."))[-1].text == "One two three."


def test_a_structured_answer_is_parsed(model_of, script):
    model = model_of(script(answer(json.dumps(WEATHER)), answer(json.dumps(WEATHER))))
    assert model.structured_predict(Weather, PromptTemplate("Paris?")) == Weather(**WEATHER)


def test_a_tool_is_called(model_of, script):
    model = model_of(script(call("get_weather", {"city": "Paris"})))
    assert str(model.predict_and_call([TOOL], "Paris?")) == "Paris: 22"


@asynchronous
async def test_a_function_agent_runs_its_tools(model_of, script, last_results):
    name = script(call("get_weather", {"city": "Paris"}), answer("22 degrees."))
    assert str(await FunctionAgent(tools=[TOOL], llm=model_of(name)).run("Paris?")) == "22 degrees."
    assert last_results(name) == ["Paris: 22"]


@asynchronous
async def test_a_function_agent_is_streamed(model_of, script):
    run = FunctionAgent(tools=[TOOL], llm=model_of(script(answer("One two three.")))).run("Count.")
    deltas = [event.delta async for event in run.stream_events() if isinstance(event, AgentStream)]
    await run
    assert "".join(deltas) == "One two three."


@asynchronous
async def test_a_react_agent_answers(model_of, script):
    name = script(
        answer('Thought: I need the weather.\nAction: get_weather\nAction Input: {"city": "Paris"}'),
        answer("Thought: I can answer.\nAnswer: 22 degrees."),
    )
    assert "22 degrees." in str(await ReActAgent(tools=[TOOL], llm=model_of(name)).run("Paris?"))


def test_a_failure_of_the_engine_raises(model_of, script):
    with pytest.raises(openai.InternalServerError):
        model_of(script([think("Hm."), {"fail": True}])).chat(asked("Go."))


def test_a_stream_that_fails_raises_after_what_was_sampled(model_of, script):
    pieces = []
    with pytest.raises(openai.APIError):
        for piece in model_of(script([HALF_AN_ANSWER, {"fail": True}])).stream_chat(asked("Count.")):
            pieces.append(piece.delta)
    assert "".join(piece for piece in pieces if piece).startswith("One")
