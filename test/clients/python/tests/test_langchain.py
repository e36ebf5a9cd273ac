"""langchain-openai and langgraph over both APIs: messages, streams, tools, structured output, agents, failures."""

import json

import openai
import pytest
from conftest import answer, asynchronous, call, think
from langchain.agents import create_agent
from langchain.agents.structured_output import ProviderStrategy, ToolStrategy
from langchain_core.exceptions import ContextOverflowError
from langchain_core.messages import HumanMessage, ToolMessage
from langchain_core.tools import tool
from langchain_openai import ChatOpenAI
from langgraph.checkpoint.memory import InMemorySaver
from pydantic import BaseModel


class Weather(BaseModel):
    """The weather."""

    city: str
    degrees: int


WEATHER = {"city": "Paris", "degrees": 22}


@tool
def get_weather(city: str) -> str:
    """The weather."""
    return f"{city}: 22"


@pytest.fixture(params=[True, False], ids=["responses", "chat"])
def model_of(request, base_url):
    # It caches one client for all models of an address: that of another test's event loop, which is closed.
    return lambda name, **more: ChatOpenAI(
        model=name,
        base_url=base_url,
        api_key="none",
        max_retries=0,
        use_responses_api=request.param,
        http_async_client=openai.DefaultAsyncHttpxClient(),
        **more,
    )


@pytest.fixture
def responses_model(base_url):
    return lambda name, **more: ChatOpenAI(
        model=name, base_url=base_url, api_key="none", max_retries=0, use_responses_api=True, **more
    )


def test_invoke_gives_the_text_and_the_usage(model_of, script):
    message = model_of(script(think("Hm.") + answer("Yes."))).invoke("Well?")
    assert message.text == "Yes."
    assert message.usage_metadata["output_tokens"] > 0


def test_stream_gives_the_text_in_pieces(model_of, script):
    chunks = list(model_of(script(answer("One two three."))).stream("Count."))
    assert len([chunk for chunk in chunks if chunk.text]) > 1
    assert "".join(chunk.text for chunk in chunks) == "One two three."


def test_a_batch_is_answered_whole(model_of, script):
    model = model_of(script(*[answer("Yes.")] * 5))
    assert [one.text for one in model.batch(["a", "b", "c", "d", "e"])] == ["Yes."] * 5


@asynchronous
async def test_an_answer_is_streamed_asynchronously(model_of, script):
    chunks = [chunk.text async for chunk in model_of(script(answer("One two three."))).astream("Count.")]
    assert "".join(chunks) == "One two three."


def test_a_tool_goes_round(model_of, script, last_results):
    name = script(think("Weather.") + call("get_weather", {"city": "Paris"}), answer("22 degrees."))
    model = model_of(name).bind_tools([get_weather])
    asked = HumanMessage("Paris?")
    made = model.invoke([asked])
    results = [ToolMessage(get_weather.invoke(one["args"]), tool_call_id=one["id"]) for one in made.tool_calls]
    assert model.invoke([asked, made, *results]).text == "22 degrees."
    assert last_results(name) == ["Paris: 22"]


@pytest.mark.parametrize("choice", ["required", "get_weather"])
def test_a_demanded_tool_is_called(model_of, script, choice):
    model = model_of(script(answer("No."), answer("No."))).bind_tools([get_weather], tool_choice=choice)
    assert [one["name"] for one in model.invoke("Paris?").tool_calls] == ["get_weather"]


@pytest.mark.parametrize("how", [{"method": "json_schema"}, {"method": "json_schema", "strict": True}], ids=["free", "strict"])
def test_structured_output_by_schema_is_parsed(model_of, script, how):
    model = model_of(script(answer(json.dumps(WEATHER)))).with_structured_output(Weather, **how)
    assert model.invoke("Paris?") == Weather(**WEATHER)


def test_structured_output_by_a_function_is_parsed(model_of, script):
    model = model_of(script(call("Weather", WEATHER))).with_structured_output(Weather, method="function_calling")
    assert model.invoke("Paris?") == Weather(**WEATHER)


def test_structured_output_in_json_mode_is_parsed(model_of, script):
    model = model_of(script(answer(json.dumps(WEATHER)))).with_structured_output(Weather, method="json_mode")
    assert model.invoke("Paris? In JSON.") == Weather(**WEATHER)


def test_structured_output_is_streamed(model_of, script):
    model = model_of(script(answer(json.dumps(WEATHER)))).with_structured_output(Weather, method="json_schema")
    assert list(model.stream("Paris?"))[-1] == Weather(**WEATHER)


def test_an_agent_runs_its_tools(model_of, script, last_results):
    name = script(call("get_weather", {"city": "Paris"}), answer("22 degrees."))
    agent = create_agent(model_of(name), [get_weather])
    assert agent.invoke({"messages": [HumanMessage("Paris?")]})["messages"][-1].text == "22 degrees."
    assert last_results(name) == ["Paris: 22"]


def test_an_agent_is_streamed(model_of, script):
    agent = create_agent(model_of(script(call("get_weather", {"city": "Paris"}), answer("22 degrees."))), [get_weather])
    pieces = [piece.text for piece, _ in agent.stream({"messages": [HumanMessage("Paris?")]}, stream_mode="messages")]
    assert "".join(pieces).endswith("22 degrees.")


@pytest.mark.parametrize("strategy", [ToolStrategy, ProviderStrategy])
def test_an_agent_answers_in_a_structure(model_of, script, strategy):
    said = call("Weather", WEATHER) if strategy is ToolStrategy else answer(json.dumps(WEATHER))
    agent = create_agent(model_of(script(said)), [], response_format=strategy(Weather))
    assert agent.invoke({"messages": [HumanMessage("Paris?")]})["structured_response"] == Weather(**WEATHER)


def test_an_agent_with_a_checkpoint_remembers(model_of, script, prompts):
    name = script(answer("Hello, Ann."), answer("You are Ann."))
    agent = create_agent(model_of(name), [], checkpointer=InMemorySaver())
    thread = {"configurable": {"thread_id": "1"}}
    for said in ["I am Ann.", "Who am I?"]:
        agent.invoke({"messages": [HumanMessage(said)]}, thread)
    assert [one["content"] for one in prompts(name)[-1] if one["role"] == "user"] == ["I am Ann.", "Who am I?"]


def test_a_failure_of_the_engine_raises(model_of, script):
    with pytest.raises(openai.InternalServerError):
        model_of(script([think("Hm."), {"fail": True}])).invoke("Go.")


def test_a_prompt_that_does_not_fit_is_known_as_such(model_of, script):
    with pytest.raises(ContextOverflowError):
        model_of(script(answer("Hi."), contextLength=30)).invoke("Paris?")


def test_a_stream_that_fails_raises(model_of, script):
    with pytest.raises(openai.APIError):
        list(model_of(script([think("Hm."), {"fail": True}])).stream("Go."))


def test_a_stop_string_ends_the_answer(base_url, script):
    model = ChatOpenAI(model=script(answer("One. Two.")), base_url=base_url, api_key="none", use_responses_api=False)
    assert model.bind(stop=["Two"]).invoke("Go.").text.strip() == "One."


def test_a_response_goes_on_from_the_one_before(responses_model, script, prompts):
    name = script(answer("Hello."), answer("Again."))
    model = responses_model(name, use_previous_response_id=True)
    first = model.invoke("Hello?")
    assert model.invoke([HumanMessage("Hello?"), first, HumanMessage("And?")]).text == "Again."
    assert [one["content"] for one in prompts(name)[-1] if one["role"] == "user"] == ["Hello?", "And?"]


def test_sealed_reasoning_comes_back(responses_model, script, prompts):
    name = script(think("A secret plan.") + call("get_weather", {"city": "Paris"}), answer("22 degrees."))
    model = responses_model(name, store=False, include=["reasoning.encrypted_content"])
    create_agent(model, [get_weather]).invoke({"messages": [HumanMessage("Paris?")]})
    assert "A secret plan." in [one["content"] for one in prompts(name)[-1]]


def test_a_hosted_mcp_call_is_shown(responses_model, script):
    server = {"type": "mcp", "server_label": "docs", "server_url": "https://docs.example.com", "require_approval": "never"}
    message = responses_model(script(call("lookup", {"q": "x"}, "docs."), answer("42."))).bind_tools([server]).invoke("x?")
    assert message.text == "42."
    assert "x is 42" in json.dumps(message.content)
