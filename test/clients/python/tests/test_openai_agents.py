"""openai-agents over both APIs: tools, structured output, handoffs, guardrails, sessions, streams, failures, MCP."""

import json

import agents
import pytest
from agents import (
    Agent,
    HostedMCPTool,
    InputGuardrailTripwireTriggered,
    MaxTurnsExceeded,
    ModelSettings,
    OpenAIConversationsSession,
    OpenAIChatCompletionsModel,
    OpenAIResponsesModel,
    Runner,
    SQLiteSession,
    function_tool,
)
from conftest import HALF_AN_ANSWER, answer, asynchronous, call, think
from openai import APIError, AsyncOpenAI
from pydantic import BaseModel

agents.set_tracing_disabled(True)


class Weather(BaseModel):
    city: str
    degrees: int


@function_tool
def get_weather(city: str) -> str:
    """The weather."""
    return f"{city}: 22"


@function_tool
def broken() -> str:
    """Fails."""
    raise ValueError("no luck")


@pytest.fixture(params=[OpenAIResponsesModel, OpenAIChatCompletionsModel], ids=["responses", "chat"])
def model_of(request, base_url):
    return lambda name: request.param(model=name, openai_client=AsyncOpenAI(base_url=base_url, max_retries=0))


@pytest.fixture
def responses_model(base_url):
    return lambda name: OpenAIResponsesModel(model=name, openai_client=AsyncOpenAI(base_url=base_url, max_retries=0))


def agent(model, **more):
    return Agent(name="ann", instructions="Answer.", model=model, **more)


def test_an_agent_answers(model_of, script):
    assert Runner.run_sync(agent(model_of(script(think("Hm.") + answer("Yes.")))), "Well?").final_output == "Yes."


def test_a_function_runs_and_its_result_is_read(model_of, script, last_results):
    name = script(think("Weather.") + call("get_weather", {"city": "Paris"}), answer("22 degrees."))
    result = Runner.run_sync(agent(model_of(name), tools=[get_weather]), "Paris?")
    assert result.final_output == "22 degrees."
    assert last_results(name) == ["Paris: 22"]


def test_a_tool_that_fails_is_told_to_the_model(model_of, script, last_results):
    name = script(call("broken", {}), answer("It failed."))
    assert Runner.run_sync(agent(model_of(name), tools=[broken]), "Go.").final_output == "It failed."
    assert "error occurred" in last_results(name)[0]


def test_structured_output_is_parsed(model_of, script):
    name = script(answer(json.dumps({"city": "Paris", "degrees": 22})))
    result = Runner.run_sync(agent(model_of(name), output_type=Weather), "Paris?")
    assert result.final_output == Weather(city="Paris", degrees=22)


def test_structured_output_that_is_a_list_is_parsed(model_of, script):
    name = script(answer(json.dumps({"response": [{"city": "Paris", "degrees": 22}]})))
    result = Runner.run_sync(agent(model_of(name), output_type=list[Weather]), "Paris?")
    assert result.final_output == [Weather(city="Paris", degrees=22)]


def test_an_agent_hands_off_to_another(model_of, script):
    other = Agent(name="Bob", instructions="Be Bob.", model=model_of(script(answer("I am Bob."))))
    name = script(call("transfer_to_bob", {}))
    result = Runner.run_sync(agent(model_of(name), handoffs=[other]), "Bob?")
    assert (result.last_agent.name, result.final_output) == ("Bob", "I am Bob.")


def test_an_agent_is_a_tool_of_another(model_of, script, last_results):
    inner = Agent(name="Inner", model=model_of(script(answer("Inside."))))
    name = script(call("inner", {"input": "Go."}), answer("Outside."))
    tool = inner.as_tool(tool_name="inner", tool_description="Inner.")
    assert Runner.run_sync(agent(model_of(name), tools=[tool]), "Go.").final_output == "Outside."
    assert last_results(name) == ["Inside."]


def test_a_guardrail_stops_the_run(model_of, script):
    @agents.input_guardrail
    def none_may_pass(_context, _agent, _input):
        return agents.GuardrailFunctionOutput(output_info=None, tripwire_triggered=True)

    with pytest.raises(InputGuardrailTripwireTriggered):
        Runner.run_sync(agent(model_of(script(answer("x"))), input_guardrails=[none_may_pass]), "Go.")


@asynchronous
async def test_a_run_is_streamed(model_of, script):
    name = script(think("Weather.") + call("get_weather", {"city": "Paris"}), answer("22 degrees today."))
    result = Runner.run_streamed(agent(model_of(name), tools=[get_weather]), "Paris?")
    deltas = []
    async for event in result.stream_events():
        if event.type == "raw_response_event" and event.data.type == "response.output_text.delta":
            deltas.append(event.data.delta)
    assert "".join(deltas) == result.final_output == "22 degrees today."


def test_a_session_remembers(model_of, script, prompts):
    name = script(answer("Hello, Ann."), answer("You are Ann."))
    session = SQLiteSession("ann")
    Runner.run_sync(agent(model_of(name)), "I am Ann.", session=session)
    assert Runner.run_sync(agent(model_of(name)), "Who am I?", session=session).final_output == "You are Ann."
    assert [one["content"] for one in prompts(name)[1] if one["role"] == "user"] == ["I am Ann.", "Who am I?"]


def test_a_demanded_call_is_made(model_of, script, last_results):
    name = script(answer("No."), answer("22 degrees."), answer("22 degrees."))
    settings = ModelSettings(tool_choice="get_weather")
    Runner.run_sync(agent(model_of(name), tools=[get_weather], model_settings=settings), "Paris?")
    assert len(last_results(name)) == 1


def test_a_run_without_end_is_stopped(model_of, script):
    name = script(*[call("get_weather", {"city": "Paris"})] * 3)
    with pytest.raises(MaxTurnsExceeded):
        Runner.run_sync(agent(model_of(name), tools=[get_weather]), "Paris?", max_turns=2)


def test_a_failure_of_the_engine_raises(model_of, script):
    with pytest.raises(APIError):
        Runner.run_sync(agent(model_of(script([think("Hm."), {"fail": True}]))), "Go.")


@asynchronous
async def test_a_streamed_run_that_fails_raises_after_what_was_sampled(model_of, script):
    result = Runner.run_streamed(agent(model_of(script([HALF_AN_ANSWER, {"fail": True}]))), "Count.")
    deltas = []
    with pytest.raises(APIError):
        async for event in result.stream_events():
            if event.type == "raw_response_event" and event.data.type == "response.output_text.delta":
                deltas.append(event.data.delta)
    assert "".join(deltas).startswith("One")


def test_a_response_goes_on_from_the_one_before(responses_model, script, prompts):
    name = script(answer("Hello."), answer("Again."))
    first = Runner.run_sync(agent(responses_model(name)), "Hello?")
    second = Runner.run_sync(agent(responses_model(name)), "And?", previous_response_id=first.last_response_id)
    assert second.final_output == "Again."
    assert [one["content"] for one in prompts(name)[1] if one["role"] == "user"] == ["Hello?", "And?"]


def test_sealed_reasoning_comes_back(responses_model, script, prompts):
    settings = ModelSettings(store=False, response_include=["reasoning.encrypted_content"])
    name = script(think("A secret plan.") + call("get_weather", {"city": "Paris"}), answer("22 degrees."))
    Runner.run_sync(agent(responses_model(name), tools=[get_weather], model_settings=settings), "Paris?")
    assert "A secret plan." in [one["content"] for one in prompts(name)[-1]]


@pytest.mark.parametrize("approved", [True, False])
def test_a_hosted_mcp_call_asks_for_approval(responses_model, script, approved):
    config = {"type": "mcp", "server_label": "docs", "server_url": "https://docs.example.com", "require_approval": "always"}
    tool = HostedMCPTool(tool_config=config, on_approval_request=lambda _request: {"approve": approved})
    name = script(call("lookup", {"q": "x"}, "docs."), answer("Done."))
    result = Runner.run_sync(agent(responses_model(name), tools=[tool]), "x?")
    outputs = [item.raw_item.output for item in result.new_items if getattr(item.raw_item, "type", "") == "mcp_call"]
    assert result.final_output == "Done."
    assert outputs == (["x is 42"] if approved else [])


@asynchronous
async def test_a_session_of_conversations_holds_two_turns_with_a_tool(base_url, responses_model, script, prompts):
    name = script(think("Hm.") + call("get_weather", {"city": "Oslo"}), think("So.") + answer("22."), answer("Oslo."))
    client = AsyncOpenAI(base_url=base_url, max_retries=0)
    session = OpenAIConversationsSession(openai_client=client)
    ann = agent(responses_model(name), tools=[get_weather])
    assert (await Runner.run(ann, "The weather in Oslo?", session=session)).final_output == "22."
    assert (await Runner.run(ann, "Where?", session=session)).final_output == "Oslo."
    read = [message["content"] for message in prompts(name)[-1]]
    for text in ["The weather in Oslo?", "Oslo: 22", "22.", "Where?"]:
        assert text in read
    assert len(await session.get_items()) == 8
    await session.pop_item()
    assert len(await session.get_items()) == 7
    await session.clear_session()
