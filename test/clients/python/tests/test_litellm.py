"""litellm over both APIs, and through its bridges."""

import asyncio
import json

import litellm
import pytest
from conftest import HALF_AN_ANSWER, answer, call, preamble, think

litellm.telemetry = False
ASKED = [{"role": "user", "content": "Paris?"}]
FUNCTION = {
    "name": "get_weather",
    "parameters": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
}
SCHEMA = {
    "type": "object",
    "properties": {"city": {"type": "string"}},
    "required": ["city"],
    "additionalProperties": False,
}


@pytest.fixture
def ask(base_url):
    def asked(kind, name, **more):
        return kind(model=f"openai/{name}", api_base=base_url, api_key="none", num_retries=0, **more)

    return asked


def test_a_completion_has_content_and_reasoning(ask, script):
    message = ask(litellm.completion, script(think("Hm.") + answer("Yes.")), messages=ASKED).choices[0].message
    assert (message.content, message.reasoning_content) == ("Yes.", "Hm.")


def test_a_completion_is_streamed(ask, script):
    chunks = list(ask(litellm.completion, script(answer("One two three.")), messages=ASKED, stream=True))
    assert "".join(chunk.choices[0].delta.content or "" for chunk in chunks) == "One two three."


def test_a_completion_calls_tools(ask, script, last_results):
    name = script(call("get_weather", {"city": "Paris"}), answer("22 degrees."))
    tools = [{"type": "function", "function": FUNCTION}]
    message = ask(litellm.completion, name, messages=ASKED, tools=tools).choices[0].message
    result = {"role": "tool", "tool_call_id": message.tool_calls[0].id, "content": "22"}
    second = ask(litellm.completion, name, messages=[*ASKED, message.model_dump(), result], tools=tools)
    assert second.choices[0].message.content == "22 degrees."
    assert last_results(name) == ["22"]


def test_a_completion_holds_a_format(ask, script):
    form = {"type": "json_schema", "json_schema": {"name": "city", "strict": True, "schema": SCHEMA}}
    said = ask(litellm.completion, script(answer('{"town":"Rome"}')), messages=ASKED, response_format=form)
    assert list(json.loads(said.choices[0].message.content)) == ["city"]


def test_a_completion_stops_at_a_string(ask, script):
    said = ask(litellm.completion, script(answer("One. Two.")), messages=ASKED, stop=["Two"])
    assert said.choices[0].message.content.strip() == "One."


def test_a_response_has_text(ask, script):
    assert ask(litellm.responses, script(answer("Yes.")), input="Well?").output_text == "Yes."


@pytest.fixture
def known():
    """known(model): the model, which litellm now knows: of others, it asks for whole responses, and streams those."""

    def registered(name):
        litellm.register_model({f"openai/{name}": {"litellm_provider": "openai", "supports_native_streaming": True}})
        return name

    return registered


def deltas(events):
    return [event.delta for event in events if event.type == "response.output_text.delta"]


def test_a_response_is_streamed(ask, script, known):
    events = list(ask(litellm.responses, known(script(answer("One two three."))), input="Count.", stream=True))
    assert len(deltas(events)) > 1
    assert "".join(deltas(events)) == "One two three."


def test_a_response_of_a_model_that_litellm_does_not_know_is_streamed_once_it_is_whole(ask, script):
    events = list(ask(litellm.responses, script(answer("One two three.")), input="Count.", stream=True))
    assert "".join(deltas(events)) == "One two three."


def test_a_response_calls_tools(ask, script):
    tools = [{"type": "function", **FUNCTION}]
    made = ask(litellm.responses, script(call("get_weather", {"city": "Paris"})), input="Paris?", tools=tools)
    assert [item.type for item in made.output] == ["function_call"]


def test_a_response_holds_a_format(ask, script):
    form = {"format": {"type": "json_schema", "name": "city", "strict": True, "schema": SCHEMA}}
    name = script(preamble("Let me think.") + answer('{"town":"Rome"}'))
    assert list(json.loads(ask(litellm.responses, name, input="Paris?", text=form).output_text)) == ["city"]


def test_messages_of_anthropic_go_through_its_bridge(base_url, script):
    import asyncio

    said = asyncio.run(
        litellm.anthropic.messages.acreate(
            model=f"openai/{script(answer('Yes.'))}",
            api_base=base_url,
            api_key="none",
            messages=ASKED,
            max_tokens=99,
        )
    )
    assert [part["text"] for part in said["content"] if part["type"] == "text"] == ["Yes."]


def test_a_failure_of_the_engine_raises(ask, script):
    with pytest.raises(litellm.InternalServerError):
        ask(litellm.completion, script([think("Hm."), {"fail": True}]), messages=ASKED)


def test_a_prompt_that_does_not_fit_is_known_as_such(ask, script):
    with pytest.raises(litellm.ContextWindowExceededError):
        ask(litellm.completion, script(answer("Hi."), contextLength=30), messages=ASKED)
    with pytest.raises(litellm.ContextWindowExceededError):
        ask(litellm.responses, script(answer("Hi."), contextLength=30), input="Paris?")


def test_a_response_whose_engine_fails_raises(ask, script):
    with pytest.raises(litellm.InternalServerError):
        ask(litellm.responses, script([think("Hm."), {"fail": True}]), input="Go.")


def test_a_completion_whose_stream_fails_raises_after_what_was_sampled(ask, script):
    pieces = []
    with pytest.raises(litellm.exceptions.MidStreamFallbackError):
        for chunk in ask(litellm.completion, script([HALF_AN_ANSWER, {"fail": True}]), messages=ASKED, stream=True):
            pieces.append(chunk.choices[0].delta.content)
    assert "".join(piece for piece in pieces if piece).startswith("One")


def test_a_response_whose_stream_fails_raises_after_what_was_sampled(ask, script, known):
    events = []
    with pytest.raises(litellm.exceptions.MidStreamFallbackError):
        name = known(script([HALF_AN_ANSWER, {"fail": True}]))
        for event in ask(litellm.responses, name, input="Count.", stream=True):
            events.append(event)
    assert "".join(deltas(events)).startswith("One")


def test_a_whole_response_that_fails_is_not_streamed(ask, script):
    with pytest.raises(litellm.InternalServerError):
        list(ask(litellm.responses, script([HALF_AN_ANSWER, {"fail": True}]), input="Count.", stream=True))
