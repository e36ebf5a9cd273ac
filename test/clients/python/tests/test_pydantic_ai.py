"""pydantic-ai over both APIs: tools, outputs, history, streams, failures."""

import json

import pytest
from conftest import HALF_AN_ANSWER, answer, asynchronous, call, think
from pydantic import BaseModel
from pydantic_ai import Agent, ModelHTTPError, ModelRetry, NativeOutput, PromptedOutput, ToolOutput
from pydantic_ai.models.openai import OpenAIChatModel, OpenAIResponsesModel, OpenAIResponsesModelSettings
from pydantic_ai.providers.openai import OpenAIProvider


class Weather(BaseModel):
    city: str
    degrees: int


WEATHER = {"city": "Paris", "degrees": 22}


@pytest.fixture(params=[OpenAIResponsesModel, OpenAIChatModel], ids=["responses", "chat"])
def model_of(request, base_url):
    return lambda name: request.param(name, provider=OpenAIProvider(base_url=base_url, api_key="none"))


@pytest.fixture
def responses_model(base_url):
    return lambda name: OpenAIResponsesModel(name, provider=OpenAIProvider(base_url=base_url, api_key="none"))


def test_an_agent_answers_and_counts(model_of, script):
    result = Agent(model_of(script(think("Hm.") + answer("Yes.")))).run_sync("Well?")
    assert result.output == "Yes."
    assert result.usage.output_tokens > 0


def test_a_tool_runs_and_its_result_is_read(model_of, script, last_results):
    name = script(think("Weather.") + call("get_weather", {"city": "Paris"}), answer("22 degrees."))
    agent = Agent(model_of(name))

    @agent.tool_plain
    def get_weather(city: str) -> str:
        return f"{city}: 22"

    assert agent.run_sync("Paris?").output == "22 degrees."
    assert last_results(name) == ["Paris: 22"]


def test_a_tool_may_ask_for_another_try(model_of, script, last_results):
    name = script(call("get_weather", {"city": "Pari"}), call("get_weather", {"city": "Paris"}), answer("22 degrees."))
    agent = Agent(model_of(name))

    @agent.tool_plain(retries=2)
    def get_weather(city: str) -> str:
        if city != "Paris":
            raise ModelRetry("no such city")
        return "22"

    assert agent.run_sync("Paris?").output == "22 degrees."
    assert "no such city" in last_results(name)[0]


@pytest.mark.parametrize("output", [ToolOutput, NativeOutput, PromptedOutput])
def test_an_output_is_parsed(model_of, script, output):
    said = call("final_result", WEATHER) if output is ToolOutput else answer(json.dumps(WEATHER))
    assert Agent(model_of(script(said)), output_type=output(Weather)).run_sync("Paris?").output == Weather(**WEATHER)


def test_a_union_of_outputs_is_parsed(model_of, script):
    agent = Agent(model_of(script(call("final_result_Weather", WEATHER))), output_type=[Weather, int])
    assert agent.run_sync("Paris?").output == Weather(**WEATHER)


def test_history_goes_on(model_of, script, prompts):
    name = script(answer("Hello, Ann."), answer("You are Ann."))
    agent = Agent(model_of(name))
    first = agent.run_sync("I am Ann.")
    assert agent.run_sync("Who am I?", message_history=first.all_messages()).output == "You are Ann."
    assert [one["content"] for one in prompts(name)[-1] if one["role"] == "user"] == ["I am Ann.", "Who am I?"]


@asynchronous
async def test_text_is_streamed(model_of, script):
    async with Agent(model_of(script(answer("One two three.")))).run_stream("Count.") as result:
        pieces = [piece async for piece in result.stream_text(delta=True, debounce_by=None)]
    assert len(pieces) > 1
    assert "".join(pieces) == "One two three."


@asynchronous
async def test_an_output_is_streamed(model_of, script):
    agent = Agent(model_of(script(answer(json.dumps(WEATHER)))), output_type=NativeOutput(Weather))
    async with agent.run_stream("Paris?") as result:
        assert [one async for one in result.stream_output(debounce_by=None)][-1] == Weather(**WEATHER)


def test_a_failure_of_the_engine_raises(model_of, script):
    with pytest.raises(ModelHTTPError) as raised:
        Agent(model_of(script([think("Hm."), {"fail": True}])), retries=0).run_sync("Go.")
    assert raised.value.status_code == 500


@asynchronous
async def test_a_stream_that_fails_raises_after_what_was_sampled(model_of, script):
    pieces = []
    with pytest.raises(ModelHTTPError):
        async with Agent(model_of(script([HALF_AN_ANSWER, {"fail": True}]))).run_stream("Count.") as result:
            async for piece in result.stream_text(delta=True, debounce_by=None):
                pieces.append(piece)
    assert "".join(pieces).startswith("One")


def test_sealed_reasoning_comes_back(responses_model, script, prompts):
    name = script(think("A secret plan.") + call("get_weather", {"city": "Paris"}), answer("22 degrees."))
    settings = OpenAIResponsesModelSettings(openai_store=False, openai_include_encrypted_reasoning=True)
    agent = Agent(responses_model(name), model_settings=settings)

    @agent.tool_plain
    def get_weather(city: str) -> str:
        return f"{city}: 22"

    agent.run_sync("Paris?")
    assert "A secret plan." in [one["content"] for one in prompts(name)[-1]]


def test_a_response_goes_on_from_the_one_before(responses_model, script, prompts):
    name = script(answer("Hello."), answer("Again."))
    agent = Agent(responses_model(name))
    first = agent.run_sync("Hello?")
    id = first.all_messages()[-1].provider_response_id
    agent.run_sync("And?", model_settings=OpenAIResponsesModelSettings(openai_previous_response_id=id))
    assert [one["content"] for one in prompts(name)[-1] if one["role"] == "user"] == ["Hello?", "And?"]
