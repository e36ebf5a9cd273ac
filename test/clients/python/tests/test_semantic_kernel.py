"""semantic-kernel's OpenAIResponsesAgent: tool loops, threads, streams, structured answers, failures."""

import json

import pytest
from conftest import HALF_AN_ANSWER, answer, asynchronous, call, think
from openai import APIError, AsyncOpenAI
from pydantic import BaseModel
from semantic_kernel.agents import OpenAIResponsesAgent
from semantic_kernel.exceptions import AgentException
from semantic_kernel.functions import kernel_function


class Weather(BaseModel):
    city: str
    degrees: int


class Guide:
    @kernel_function(name="get_weather", description="The weather.")
    def get_weather(self, city: str) -> str:
        return f"{city}: 22"


@pytest.fixture
def agent_of(base_url):
    client = AsyncOpenAI(base_url=base_url, max_retries=0)
    return lambda name, **more: OpenAIResponsesAgent(ai_model_id=name, client=client, instructions="Answer.", **more)


def of_assistant(prompt):
    return [message["content"] for message in prompt if message["role"] == "assistant"]


TWO_CALLS = [
    think("Paris first.") + call("Guide-get_weather", {"city": "Paris"}),
    think("Now Rome.") + call("Guide-get_weather", {"city": "Rome"}),
    answer("22 in both."),
]
stored_or_not = pytest.mark.parametrize("store", [True, False])


@asynchronous
async def test_an_agent_answers(agent_of, script):
    response = await agent_of(script(think("Hm.") + answer("Yes."))).get_response(messages="Well?")
    assert str(response.message) == "Yes."


@stored_or_not
@asynchronous
async def test_functions_run_and_their_results_are_read(agent_of, script, last_results, store):
    name = script(*TWO_CALLS)
    agent = agent_of(name, plugins=[Guide()], store_enabled=store)
    assert str((await agent.get_response(messages="Paris and Rome?")).message) == "22 in both."
    assert last_results(name) == ["Paris: 22", "Rome: 22"]


@stored_or_not
@asynchronous
async def test_functions_run_in_a_streamed_run(agent_of, script, last_results, store):
    name = script(*TWO_CALLS)
    agent = agent_of(name, plugins=[Guide()], store_enabled=store)
    pieces = [str(piece.message) async for piece in agent.invoke_stream(messages="Paris and Rome?")]
    assert "".join(pieces) == "22 in both."
    assert last_results(name) == ["Paris: 22", "Rome: 22"]


# Beside previous_response_id it sends the results of the whole run again.
@asynchronous
async def test_each_call_of_a_stored_run_is_read_once_with_the_reasoning_before_it(agent_of, script, prompts):
    name = script(*TWO_CALLS)
    await agent_of(name, plugins=[Guide()]).get_response(messages="Paris and Rome?")
    assert of_assistant(prompts(name)[-1]) == ["Paris first.", '{"city": "Paris"}', "Now Rome.", '{"city": "Rome"}']


@stored_or_not
@asynchronous
async def test_a_thread_goes_on_after_a_tool_loop(agent_of, script, prompts, store):
    name = script(*TWO_CALLS, answer("Warm."))
    agent = agent_of(name, plugins=[Guide()], store_enabled=store)
    first = await agent.get_response(messages="Paris and Rome?")
    second = await agent.get_response(messages="Is that warm?", thread=first.thread)
    assert str(second.message) == "Warm."
    prompt = [message["content"] for message in prompts(name)[-1]]
    assert "22 in both." in prompt
    assert prompt[-1] == "Is that warm?"


@asynchronous
async def test_a_structured_answer_is_parsed(agent_of, script):
    said = json.dumps({"city": "Paris", "degrees": 22})
    text = OpenAIResponsesAgent.configure_response_format(Weather)
    response = await agent_of(script(answer(said)), text=text).get_response(messages="Paris?")
    assert Weather.model_validate_json(str(response.message)) == Weather(city="Paris", degrees=22)


@asynchronous
async def test_a_failure_of_the_engine_raises(agent_of, script):
    with pytest.raises(AgentException):
        await agent_of(script([think("Hm."), {"fail": True}])).get_response(messages="Well?")


@asynchronous
async def test_a_stream_that_fails_raises_after_what_was_sampled(agent_of, script):
    pieces = []
    with pytest.raises(APIError):
        async for piece in agent_of(script([HALF_AN_ANSWER, {"fail": True}])).invoke_stream(messages="Count."):
            pieces.append(str(piece.message))
    assert "".join(pieces).startswith("One")
