"""livekit-agents with livekit-plugins-openai over the Responses API: tool loops, conversations, streams, failures."""

import pytest
from conftest import HALF_AN_ANSWER, answer, asynchronous, call, think
from livekit.agents import Agent, AgentSession, APIConnectOptions, APIError, function_tool, utils
from livekit.agents.llm import ChatContext
from livekit.plugins.openai import responses


@function_tool
async def get_weather(city: str) -> str:
    """The weather."""
    return f"{city}: 22"


# Over a WebSocket, its default, base_url is the address of the socket itself.
@pytest.fixture(params=["socket", "http"])
def model_of(request, base_url):
    if request.param == "http":
        return lambda name, **more: responses.LLM(model=name, base_url=base_url, use_websocket=False, **more)
    return lambda name, **more: responses.LLM(model=name, base_url=f"{base_url}/responses", **more)


async def said(model, *questions):
    """The answers of an agent, one for each question of a conversation."""
    answers = []
    async with utils.http_context.open(), model, AgentSession(llm=model) as session:
        await session.start(Agent(instructions="Answer.", tools=[get_weather]))
        for question in questions:
            run = await session.run(user_input=question)
            answers.append([event.item.text_content for event in run.events if event.type == "message"][-1])
    return answers


async def streamed(model, into):
    history = ChatContext()
    history.add_message(role="user", content="Count.")
    async with utils.http_context.open(), model:
        async with model.chat(chat_ctx=history, conn_options=APIConnectOptions(max_retry=0)) as stream:
            async for chunk in stream:
                if chunk.delta and chunk.delta.content:
                    into.append(chunk.delta.content)


def of_assistant(prompt):
    return [message["content"] for message in prompt if message["role"] == "assistant"]


TWO_CALLS = [
    think("Paris first.") + call("get_weather", {"city": "Paris"}),
    think("Now Rome.") + call("get_weather", {"city": "Rome"}),
    answer("22 in both."),
]


@asynchronous
async def test_an_answer_is_streamed(model_of, script):
    pieces = []
    await streamed(model_of(script(think("Hm.") + answer("One two three."))), pieces)
    assert len(pieces) > 1
    assert "".join(pieces) == "One two three."


@pytest.mark.parametrize("store", [True, False])
@asynchronous
async def test_functions_run_and_their_results_are_read(model_of, script, last_results, store):
    name = script(*TWO_CALLS)
    assert await said(model_of(name, store=store), "Paris and Rome?") == ["22 in both."]
    assert last_results(name) == ["Paris: 22", "Rome: 22"]


@asynchronous
async def test_a_call_that_is_sent_again_beside_previous_response_id_is_read_once(model_of, script, prompts):
    name = script(*TWO_CALLS)
    await said(model_of(name), "Paris and Rome?")
    # It sends no reasoning: what the model reads of it comes from the stored response.
    assert of_assistant(prompts(name)[-1]) == ["Paris first.", '{"city": "Paris"}', "Now Rome.", '{"city": "Rome"}']


@asynchronous
async def test_a_conversation_goes_on_after_a_tool_loop(model_of, script, prompts):
    name = script(*TWO_CALLS, answer("Warm."))
    assert await said(model_of(name), "Paris and Rome?", "Is that warm?") == ["22 in both.", "Warm."]
    asked = [message["content"] for message in prompts(name)[-1] if message["role"] == "user"]
    assert asked == ["Paris and Rome?", "Is that warm?"]


@asynchronous
async def test_a_failure_of_the_engine_raises(model_of, script):
    with pytest.raises(APIError):
        await streamed(model_of(script([think("Hm."), {"fail": True}])), [])


@asynchronous
async def test_a_stream_that_fails_raises_after_what_was_sampled(model_of, script):
    pieces = []
    with pytest.raises(APIError):
        await streamed(model_of(script([HALF_AN_ANSWER, {"fail": True}])), pieces)
    assert "".join(pieces).startswith("One")
