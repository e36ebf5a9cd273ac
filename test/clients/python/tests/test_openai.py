"""openai 1, 2 and 3: tests of features that a version does not have are skipped, with the reason."""

import datetime
import enum
import json
from typing import List, Optional, Union

import openai
import pytest
from conftest import answer, call, preamble, think
from openai_types import problem_of
from pydantic import BaseModel

WEATHER = {
    "type": "function",
    "name": "get_weather",
    "description": "The weather.",
    "parameters": {
        "type": "object",
        "properties": {"city": {"type": "string"}},
        "required": ["city"],
        "additionalProperties": False,
    },
}
CHAT_WEATHER = {"type": "function", "function": {key: value for key, value in WEATHER.items() if key != "type"}}
VERSION = int(openai.__version__.split(".")[0])


class Mood(str, enum.Enum):
    calm = "calm"
    wild = "wild"


class Place(BaseModel):
    name: str
    height: Optional[int] = None


class Trip(BaseModel):
    city: str
    mood: Mood
    days: List[Place]
    size: Union[int, str]
    when: datetime.date


TRIP = {
    "city": "Rome",
    "mood": "calm",
    "days": [{"name": "Forum", "height": 21}, {"name": "Park", "height": None}],
    "size": 3,
    "when": "2026-11-25",
}


class Tree(BaseModel):
    name: str
    children: List["Tree"]


@pytest.fixture
def client(base_url):
    with openai.OpenAI(base_url=base_url, api_key="none", max_retries=0) as made:
        yield made


# Responses


def test_create_gives_the_text_the_reasoning_and_the_usage(client, script):
    response = client.responses.create(model=script([think("Easy.") + answer("It is 4.")]), input="2 + 2?")
    assert response.status == "completed"
    assert response.output_text == "It is 4."
    assert [item.type for item in response.output] == ["reasoning", "message"]
    assert response.usage.output_tokens > 0
    assert response.usage.total_tokens == response.usage.input_tokens + response.usage.output_tokens


def test_streamed_events_come_in_order_and_add_up_to_the_text(client, script):
    events = list(client.responses.create(model=script(answer("One two three.")), input="Count.", stream=True))
    assert [event.sequence_number for event in events] == list(range(len(events)))
    deltas = [event.delta for event in events if event.type == "response.output_text.delta"]
    assert len(deltas) > 1
    assert "".join(deltas) == "One two three." == events[-1].response.output_text


def test_the_stream_helper_collects_what_was_streamed(client, script):
    with client.responses.stream(model=script(think("Hm.") + answer("Yes.")), input="Well?") as stream:
        seen = [event.type for event in stream]
        final = stream.get_final_response()
    assert seen[0] == "response.created" and seen[-1] == "response.completed"
    assert final.output_text == "Yes."


def test_parse_reads_nested_models_enums_unions_and_dates(client, script):
    response = client.responses.parse(model=script(answer(json.dumps(TRIP))), input="Plan.", text_format=Trip)
    assert response.output_parsed == Trip.model_validate(TRIP)


def test_parse_reads_recursive_models(client, script):
    tree = {"name": "a", "children": [{"name": "b", "children": []}]}
    response = client.responses.parse(model=script(answer(json.dumps(tree))), input="Grow.", text_format=Tree)
    assert response.output_parsed == Tree.model_validate(tree)


def test_parse_reads_an_answer_that_a_preamble_precedes(client, script):
    model = script(preamble("Let me think.") + answer(json.dumps(TRIP)))
    assert client.responses.parse(model=model, input="Plan.", text_format=Trip).output_parsed.city == "Rome"


def test_an_answer_without_a_header_still_parses(client, script):
    model = script("Rome is it<|return|>", json.dumps(TRIP) + "<|return|>")
    response = client.responses.parse(model=model, input="Plan.", text_format=Trip)
    assert isinstance(response.output_parsed, Trip)


def test_a_strict_body_that_the_model_gets_wrong_is_mended_by_the_grammar(client, script):
    response = client.responses.parse(model=script(answer('{"city": 5}')), input="Plan.", text_format=Trip)
    assert isinstance(response.output_parsed, Trip)


def test_a_function_call_goes_round(client, script, last_results):
    model = script(think("Weather.") + call("get_weather", {"city": "Paris"}), answer("22 degrees."))
    first = client.responses.create(model=model, input="Paris?", tools=[WEATHER])
    (asked,) = [item for item in first.output if item.type == "function_call"]
    assert json.loads(asked.arguments) == {"city": "Paris"}
    result = {"type": "function_call_output", "call_id": asked.call_id, "output": "22"}
    second = client.responses.create(model=model, input=[result], previous_response_id=first.id, tools=[WEATHER])
    assert second.output_text == "22 degrees."
    assert last_results(model) == ["22"]


def test_items_that_are_sent_back_without_storage_give_the_same_prompt(client, script, prompts):
    turns = [think("Weather.") + call("get_weather", {"city": "Paris"}), answer("22 degrees.")]
    asked = {"role": "user", "content": "Paris?"}
    stored, stateless = script(*turns), script(*turns)
    first = client.responses.create(model=stored, input=[asked], tools=[WEATHER])
    result = lambda of: {"type": "function_call_output", "call_id": of.output[-1].call_id, "output": "22"}
    client.responses.create(model=stored, input=[result(first)], previous_response_id=first.id, tools=[WEATHER])
    include = ["reasoning.encrypted_content"]
    first = client.responses.create(model=stateless, input=[asked], tools=[WEATHER], store=False, include=include)
    sent = [asked, *(item.model_dump(exclude_none=True) for item in first.output), result(first)]
    client.responses.create(model=stateless, input=sent, tools=[WEATHER], store=False, include=include)
    assert prompts(stored)[-1] == prompts(stateless)[-1]


def test_a_custom_tool_is_called_with_text(client, script):
    tool = {"type": "custom", "name": "shout", "description": "Shouts."}
    model = script("<|channel|>commentary to=functions.shout<|message|>HELLO<|call|>")
    response = client.responses.create(model=model, input="Shout.", tools=[tool])
    assert [(item.type, item.input) for item in response.output] == [("custom_tool_call", "HELLO")]


@pytest.mark.parametrize("choice", ["required", {"type": "function", "name": "get_weather"}])
def test_a_demanded_call_is_made_where_the_model_answers_in_text(client, script, choice):
    response = client.responses.create(
        model=script(answer("No."), answer("No.")), input="Paris?", tools=[WEATHER], tool_choice=choice
    )
    assert "function_call" in [item.type for item in response.output]


def test_a_hosted_mcp_call_runs_inside(client, script):
    tool = {"type": "mcp", "server_label": "docs", "server_url": "https://docs.example.com", "require_approval": "never"}
    response = client.responses.create(
        model=script(call("lookup", {"q": "x"}, "docs."), answer("42.")), input="x?", tools=[tool]
    )
    assert [item.type for item in response.output] == ["mcp_list_tools", "mcp_call", "message"]
    assert response.output[1].output == "x is 42"


def test_a_hosted_mcp_call_waits_for_approval(client, script):
    tool = {"type": "mcp", "server_label": "docs", "server_url": "https://docs.example.com", "require_approval": "always"}
    model = script(call("lookup", {"q": "x"}, "docs."), answer("42."))
    first = client.responses.create(model=model, input="x?", tools=[tool])
    request = first.output[-1]
    assert request.type == "mcp_approval_request"
    approval = {"type": "mcp_approval_response", "approval_request_id": request.id, "approve": True}
    second = client.responses.create(model=model, input=[approval], previous_response_id=first.id, tools=[tool])
    assert [item.type for item in second.output if item.type != "mcp_list_tools"] == ["mcp_call", "message"]


def test_a_kept_response_is_read_listed_and_deleted(client, script):
    response = client.responses.create(model=script(answer("Kept.")), input="Keep.")
    assert client.responses.retrieve(response.id).output_text == "Kept."
    assert [item.role for item in client.responses.input_items.list(response.id)] == ["user"]
    client.responses.delete(response.id)
    with pytest.raises(openai.NotFoundError):
        client.responses.retrieve(response.id)


def test_a_background_response_is_resumed_after_an_event(client, script):
    started = client.responses.create(
        model=script(answer("One two three four.")), input="Count.", background=True, stream=True
    )
    first = next(iter(started))
    started.close()
    resumed = list(client.responses.retrieve(first.response.id, stream=True, starting_after=2))
    assert resumed[0].sequence_number == 3
    assert resumed[-1].response.output_text == "One two three four."


def test_a_background_response_is_cancelled(client, script):
    response = client.responses.create(model=script([think("Hm."), {"hang": True}]), input="Wait.", background=True)
    assert client.responses.cancel(response.id).status == "cancelled"


def test_the_limit_of_tokens_ends_a_response_as_incomplete(client, script):
    model = script(answer("a b c d e f g h i j k l m n o p q r s t u v w x y z"))
    response = client.responses.create(model=model, input="Go.", max_output_tokens=16)
    assert response.status == "incomplete"
    assert response.incomplete_details.reason == "max_output_tokens"


def test_log_probabilities_come_with_the_text(client, script):
    response = client.responses.create(
        model=script(answer("Yes.")), input="Well?", include=["message.output_text.logprobs"], top_logprobs=1
    )
    part = response.output[-1].content[0]
    assert "".join(one.token for one in part.logprobs) == part.text


def test_a_failure_of_the_engine_raises(client, script):
    with pytest.raises(openai.InternalServerError):
        client.responses.create(model=script([think("Hm."), {"fail": True}]), input="Go.")


def test_a_failure_in_mid_stream_raises_after_what_was_sampled(client, script):
    seen = []
    with pytest.raises(openai.APIError):
        for event in client.responses.create(model=script([think("Hm."), {"fail": True}]), input="Go.", stream=True):
            seen.append(event.type)
    assert "response.reasoning_text.delta" in seen


@pytest.mark.parametrize(
    "wrong, field",
    [({"temperature": 9}, "temperature"), ({"input": [{"role": "nobody", "content": "x"}]}, "input")],
)
def test_a_wrong_request_names_its_field(client, script, wrong, field):
    with pytest.raises(openai.BadRequestError) as raised:
        client.responses.create(**{"model": script(answer("x")), "input": "x", **wrong})
    assert raised.value.param.startswith(field)


def test_an_unknown_model_is_not_found(client):
    with pytest.raises(openai.NotFoundError) as raised:
        client.responses.create(model="none", input="x")
    assert raised.value.code == "model_not_found"


def test_an_idempotency_key_gives_the_same_response(client, script):
    model = script(answer("Once."))
    key = {"Idempotency-Key": f"once-{model}"}
    ids = {client.responses.create(model=model, input="x", extra_headers=key).id for _ in range(2)}
    assert len(ids) == 1


def test_tokens_are_counted_without_a_model(client, script):
    if not hasattr(client.responses, "input_tokens"):
        pytest.skip(f"openai {openai.__version__} has no responses.input_tokens")
    model = script(answer("x"))
    counted = client.responses.input_tokens.count(model=model, input="How many?").input_tokens
    assert counted == client.responses.create(model=model, input="How many?").usage.input_tokens


def test_a_conversation_is_compacted(client, script):
    if not hasattr(client.responses, "compact"):
        pytest.skip(f"openai {openai.__version__} has no responses.compact")
    model = script(answer("Hello."), answer("They said hello."), answer("Hello again."))
    first = client.responses.create(model=model, input="Hello.")
    compacted = client.responses.compact(model=model, previous_response_id=first.id)
    assert compacted.output[-1].type == "compaction"
    items = [item.model_dump(exclude_none=True) for item in compacted.output]
    again = client.responses.create(model=model, input=[*items, {"role": "user", "content": "And?"}])
    assert again.output_text == "Hello again."


def test_a_web_socket_carries_two_turns(client, script):
    if not hasattr(client.responses, "connect"):
        pytest.skip(f"openai {openai.__version__} has no responses.connect")
    model = script(answer("One."), answer("Two."))

    def events(connection):
        while True:
            frame = connection.recv_bytes()
            assert problem_of({"method": "GET", "path": "/v1/responses"}, json.loads(frame)) is None
            yield connection.parse_event(frame)

    def ended(events):
        return next(event.response for event in events if event.type == "response.completed")

    with client.responses.connect() as connection:
        connection.response.create(model=model, input="First.")
        first = ended(events(connection))
        connection.response.create(model=model, input="Second.", previous_response_id=first.id)
        assert [first.output_text, ended(connection).output_text] == ["One.", "Two."]


def tool_runner():
    lib = pytest.importorskip("openai.lib.responses_tool_runner", reason=f"openai {openai.__version__} has no tool runner")
    run = lambda arguments: f"{arguments['city']}: 22"
    return lib.ResponsesToolRunner(functions=[lib.RegisteredFunction(tool={**WEATHER, "strict": True}, execute=run)])


@pytest.mark.parametrize("how", [{}, {"stream": True}, {"stream": True, "eager": True}], ids=["whole", "streamed", "eager"])
@pytest.mark.parametrize("store", [True, False], ids=["stored", "stateless"])
def test_the_tool_runner_runs_functions_until_the_answer(client, script, last_results, how, store):
    model = script(think("Weather.") + call("get_weather", {"city": "Paris"}), answer("22 degrees."))
    asked = {"model": model, "input": "Paris?", "store": store, "include": ["reasoning.encrypted_content"]}
    assert tool_runner().run(client, asked, **how).output_text == "22 degrees."
    assert last_results(model) == ["Paris: 22"]


def test_the_tool_runner_asks_for_the_approval_of_mcp_calls(client, script):
    tool = {"type": "mcp", "server_label": "docs", "server_url": "https://docs.example.com", "require_approval": "always"}
    model = script(call("lookup", {"q": "x"}, "docs."), answer("42."))
    asked = []
    approve = lambda request: asked.append(request.name) or True
    final = tool_runner().run(client, {"model": model, "input": "x?", "tools": [tool]}, approve_mcp=approve)
    assert (asked, final.output_text) == (["lookup"], "42.")


@pytest.mark.parametrize("streamed", [False, True])
def test_the_asynchronous_client_asks_twenty_at_once(base_url, script, streamed):
    import asyncio

    async def one(client, model):
        if not streamed:
            return (await client.responses.create(model=model, input="x")).output_text
        events = await client.responses.create(model=model, input="x", stream=True)
        return [event async for event in events][-1].response.output_text

    async def all_of_them():
        async with openai.AsyncOpenAI(base_url=base_url, api_key="none") as client:
            return await asyncio.gather(*(one(client, script(answer(f"Answer {at}."))) for at in range(20)))

    assert asyncio.run(all_of_them()) == [f"Answer {at}." for at in range(20)]


# Chat Completions


def chat(client, model, **more):
    return client.chat.completions.create(model=model, messages=[{"role": "user", "content": "Paris?"}], **more)


def test_chat_answers_with_content_and_reasoning(client, script):
    (choice,) = chat(client, script(think("Easy.") + answer("Yes."))).choices
    assert (choice.message.content, choice.finish_reason) == ("Yes.", "stop")
    assert choice.message.reasoning_content == "Easy."


def test_chat_streams_content_and_usage(client, script):
    chunks = list(chat(client, script(answer("One two.")), stream=True, stream_options={"include_usage": True}))
    assert "".join(one.choices[0].delta.content or "" for one in chunks if one.choices) == "One two."
    assert chunks[-1].usage.completion_tokens > 0


def test_chat_calls_a_function_and_reads_its_result(client, script, last_results):
    model = script(call("get_weather", {"city": "Paris"}), answer("22 degrees."))
    message = chat(client, model, tools=[CHAT_WEATHER]).choices[0].message
    (made,) = message.tool_calls
    assert json.loads(made.function.arguments) == {"city": "Paris"}
    messages = [
        {"role": "user", "content": "Paris?"},
        message.model_dump(exclude_none=True),
        {"role": "tool", "tool_call_id": made.id, "content": "22"},
    ]
    second = client.chat.completions.create(model=model, messages=messages, tools=[CHAT_WEATHER])
    assert second.choices[0].message.content == "22 degrees."
    assert last_results(model) == ["22"]


def test_chat_parse_reads_models(client, script):
    parse = client.chat.completions.parse if VERSION > 1 else client.beta.chat.completions.parse
    model = script(preamble("Let me think.") + answer(json.dumps(TRIP)))
    completion = parse(model=model, messages=[{"role": "user", "content": "Plan."}], response_format=Trip)
    assert completion.choices[0].message.parsed == Trip.model_validate(TRIP)


def test_the_chat_stream_helper_collects_calls(client, script):
    stream = client.chat.completions.stream if VERSION > 1 else client.beta.chat.completions.stream
    model = script(call("get_weather", {"city": "Paris"}))
    tool = {**CHAT_WEATHER, "function": {**CHAT_WEATHER["function"], "strict": True}}
    with stream(model=model, messages=[{"role": "user", "content": "Paris?"}], tools=[tool]) as events:
        for _ in events:
            pass
        (made,) = events.get_final_completion().choices[0].message.tool_calls
    assert made.function.parsed_arguments == {"city": "Paris"}


def test_chat_stops_at_a_string(client, script):
    (choice,) = chat(client, script(answer("One. Observation: two.")), stop=["Observation:"]).choices
    assert (choice.message.content.rstrip(), choice.finish_reason) == ("One.", "stop")


def test_chat_says_length_at_the_limit(client, script):
    (choice,) = chat(client, script(answer("a b c d e f g h i j k l")), max_completion_tokens=8).choices
    assert choice.finish_reason == "length"


def test_chat_raises_where_the_engine_fails(client, script):
    with pytest.raises(openai.InternalServerError):
        chat(client, script([think("Hm."), {"fail": True}]))


def test_a_chat_stream_that_fails_raises(client, script):
    with pytest.raises(openai.APIError):
        list(chat(client, script([think("Hm."), {"fail": True}]), stream=True))


# Models


def test_models_are_listed(client):
    assert [model.id for model in client.models.list()] == ["gpt-oss"]


# Conversations


@pytest.fixture
def conversations(client):
    if not hasattr(client, "conversations"):
        pytest.skip("this version of openai has no conversations")
    return client.conversations


def test_a_conversation_is_made_read_changed_and_deleted(conversations):
    made = conversations.create(items=[{"role": "user", "content": "Hi"}], metadata={"topic": "demo"})
    assert conversations.retrieve(made.id) == made
    assert conversations.update(made.id, metadata={"topic": "other"}).metadata == {"topic": "other"}
    added = conversations.items.create(made.id, items=[{"role": "user", "content": "Ho"}])
    assert [item.content[0].text for item in conversations.items.list(made.id, order="asc", limit=1)] == ["Hi", "Ho"]
    item = conversations.items.retrieve(added.last_id, conversation_id=made.id)
    assert item == added.data[0]
    assert conversations.items.delete(item.id, conversation_id=made.id).id == made.id
    assert len(conversations.items.list(made.id).data) == 1
    assert conversations.delete(made.id).deleted
    with pytest.raises(openai.NotFoundError):
        conversations.retrieve(made.id)


def test_two_responses_are_one_conversation_whole_and_streamed(client, conversations, script, prompts):
    model = script(think("Hm.") + answer("Hello Ann."), answer("Ann."))
    made = conversations.create()
    first = client.responses.create(model=model, input="I am Ann.", conversation=made.id)
    assert first.conversation.id == made.id
    events = list(client.responses.create(model=model, input="My name?", conversation={"id": made.id}, stream=True))
    assert events[-1].response.output_text == "Ann."
    assert [item.type for item in conversations.items.list(made.id, order="asc")] == [
        "message",
        "reasoning",
        "message",
        "message",
        "message",
    ]
    assert "Hello Ann." in [message["content"] for message in prompts(model)[-1]]
