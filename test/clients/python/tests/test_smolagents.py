"""smolagents: its agents send `stop` with every call, and cannot run if it is refused."""

import json

import openai
import pytest
from conftest import HALF_AN_ANSWER, answer, call, think
from smolagents import AgentGenerationError, CodeAgent, OpenAIServerModel, ToolCallingAgent, tool


@tool
def get_weather(city: str) -> str:
    """The weather.

    Args:
        city: The city.
    """
    return f"{city}: 22"


def model_of(name, base_url):
    return OpenAIServerModel(model_id=name, api_base=base_url, api_key="none", client_kwargs={"max_retries": 0})


def test_a_model_answers(base_url, script):
    messages = [{"role": "user", "content": [{"type": "text", "text": "Well?"}]}]
    assert model_of(script(think("Hm.") + answer("Yes.")), base_url).generate(messages).content == "Yes."


def test_a_stop_string_ends_the_answer(base_url, script):
    messages = [{"role": "user", "content": [{"type": "text", "text": "Well?"}]}]
    model = model_of(script(answer("Yes. Observation: no.")), base_url)
    assert model.generate(messages, stop_sequences=["Observation:"]).content.strip() == "Yes."


def test_a_tool_calling_agent_runs_its_tools(base_url, script, prompts):
    name = script(call("get_weather", {"city": "Paris"}), call("final_answer", {"answer": "22 degrees."}))
    agent = ToolCallingAgent(tools=[get_weather], model=model_of(name, base_url), verbosity_level=0)
    assert agent.run("Paris?") == "22 degrees."
    # It sends results as the user's text.
    result = [message["content"] for message in prompts(name)[-1] if message["role"] == "user"][-1]
    assert result == "Observation:\nParis: 22"


def test_a_tool_calling_agent_is_streamed(base_url, script):
    name = script(call("final_answer", {"answer": "22 degrees."}))
    agent = ToolCallingAgent(tools=[], model=model_of(name, base_url), stream_outputs=True, verbosity_level=0)
    assert list(agent.run("Paris?", stream=True))[-1].output == "22 degrees."


def test_a_code_agent_runs_its_code(base_url, script):
    code = 'Thought: I ask.\n<code>\nfinal_answer(get_weather("Paris"))\n</code>'
    agent = CodeAgent(tools=[get_weather], model=model_of(script(answer(code)), base_url), verbosity_level=0)
    assert agent.run("Paris?") == "Paris: 22"


def test_a_code_agent_answers_in_a_structure(base_url, script):
    body = json.dumps({"thought": "I ask.", "code": 'final_answer(get_weather("Paris"))'})
    agent = CodeAgent(
        tools=[get_weather],
        model=model_of(script(answer(body)), base_url),
        use_structured_outputs_internally=True,
        verbosity_level=0,
    )
    assert agent.run("Paris?") == "Paris: 22"


def test_a_failure_of_the_engine_raises(base_url, script):
    messages = [{"role": "user", "content": [{"type": "text", "text": "Well?"}]}]
    with pytest.raises(openai.InternalServerError):
        model_of(script([think("Hm."), {"fail": True}]), base_url).generate(messages)


def test_a_stream_that_fails_raises_after_what_was_sampled(base_url, script):
    messages = [{"role": "user", "content": [{"type": "text", "text": "Well?"}]}]
    seen = []
    with pytest.raises(openai.APIError):
        model = model_of(script([HALF_AN_ANSWER, {"fail": True}]), base_url)
        for delta in model.generate_stream(messages):
            seen.append(delta.content)
    assert "".join(piece for piece in seen if piece).startswith("One")


def test_an_agent_raises_where_the_engine_fails(base_url, script):
    name = script([think("Hm."), {"fail": True}])
    with pytest.raises(AgentGenerationError) as raised:
        ToolCallingAgent(tools=[], model=model_of(name, base_url), verbosity_level=0).run("Paris?")
    assert isinstance(raised.value.__cause__, openai.InternalServerError)
