"""anthropic: the SDK for Messages: whole and streamed answers, thinking, a tool loop, token counts, failures."""

import os

import anthropic
import pytest
from conftest import HALF_AN_ANSWER, answer, call, think

WEATHER = {
    "name": "get_weather",
    "description": "The weather.",
    "input_schema": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
}
ASKED = {"max_tokens": 1000, "messages": [{"role": "user", "content": "Weather in Rome?"}]}
THINKING = {"thinking": {"type": "enabled", "budget_tokens": 1024}, "max_tokens": 4096}


@pytest.fixture(scope="session")
def client():
    return anthropic.Anthropic(base_url=os.environ["BASE"], api_key="none", max_retries=0)


def test_an_answer_is_read_whole(client, script):
    made = client.messages.create(model=script(answer("Sunny.")), **ASKED)
    assert [(block.type, block.text) for block in made.content] == [("text", "Sunny.")]
    assert made.stop_reason == "end_turn"
    assert made.usage.output_tokens > 0


def test_a_stream_is_put_together(client, script):
    said = script(think("Rome.") + answer("Sunny."))
    with client.messages.stream(model=said, **{**ASKED, **THINKING}) as stream:
        texts = list(stream.text_stream)
        made = stream.get_final_message()
    assert "".join(texts) == "Sunny."
    assert [block.type for block in made.content] == ["thinking", "text"]
    assert made.content[0].thinking == "Rome."


def test_a_tool_loop_goes_back_with_its_results(client, script, last_results):
    said = script(call("get_weather", {"city": "Rome"}), answer("22 degrees."))
    first = client.messages.create(model=said, tools=[WEATHER], **ASKED)
    (used,) = [block for block in first.content if block.type == "tool_use"]
    assert (used.name, used.input, first.stop_reason) == ("get_weather", {"city": "Rome"}, "tool_use")
    result = {"type": "tool_result", "tool_use_id": used.id, "content": "22"}
    turns = [{"role": "assistant", "content": first.content}, {"role": "user", "content": [result]}]
    second = client.messages.create(
        model=said, tools=[WEATHER], max_tokens=1000, messages=[*ASKED["messages"], *turns]
    )
    assert second.content[-1].text == "22 degrees."
    assert last_results(said) == ["22"]


def test_a_streamed_call_has_its_input(client, script):
    with client.messages.stream(model=script(call("get_weather", {"city": "Rome"})), tools=[WEATHER], **ASKED) as stream:
        made = stream.get_final_message()
    assert made.content[-1].input == {"city": "Rome"}


def test_the_tokens_of_a_request_are_counted(client, script):
    said = script(answer("Sunny."))
    counted = client.messages.count_tokens(model=said, messages=ASKED["messages"])
    made = client.messages.create(model=said, **ASKED)
    assert counted.input_tokens == made.usage.input_tokens


def test_a_wrong_request_is_a_bad_request(client, script):
    with pytest.raises(anthropic.BadRequestError) as raised:
        client.messages.create(model=script(answer("x")), max_tokens=-1, messages=ASKED["messages"])
    assert "max_tokens" in str(raised.value)


def test_an_engine_that_fails_in_a_stream_raises(client, script):
    said = script([HALF_AN_ANSWER, {"fail": True}])
    with pytest.raises(anthropic.APIStatusError):
        with client.messages.stream(model=said, **ASKED) as stream:
            list(stream.text_stream)
