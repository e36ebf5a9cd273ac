"""crewai over both APIs: tasks, tools, structured output, streams, failures."""

import json
import os

import openai
import pytest
from conftest import HALF_AN_ANSWER, answer, call, think
from pydantic import BaseModel

os.environ.update(CREWAI_DISABLE_TELEMETRY="true", CREWAI_TRACING_ENABLED="false", OTEL_SDK_DISABLED="true")

from crewai import LLM, Agent, Crew, Task  # noqa: E402
from crewai.tools import tool  # noqa: E402


class Weather(BaseModel):
    city: str
    degrees: int


@tool("get_weather")
def get_weather(city: str) -> str:
    """The weather."""
    return f"{city}: 22"


@pytest.fixture(params=["responses", "completions"])
def model_of(request, base_url):
    return lambda name: LLM(
        model=name, provider="openai", base_url=base_url, api_key="none", api=request.param, max_retries=0
    )


def crew_of(model, tools=(), stream=False, **task):
    agent = Agent(role="Guide", goal="Answer.", backstory="A guide.", llm=model, tools=list(tools), max_retry_limit=0)
    tasks = [Task(description="Paris?", expected_output="A word.", agent=agent, **task)]
    return Crew(agents=[agent], tasks=tasks, stream=stream)


def test_a_model_answers(model_of, script):
    assert model_of(script(think("Hm.") + answer("Yes."))).call("Well?") == "Yes."


def test_a_task_is_done(model_of, script):
    assert crew_of(model_of(script(answer("Final Answer: Yes.")))).kickoff().raw.endswith("Yes.")


def test_a_tool_is_run(model_of, script, last_results):
    name = script(call("get_weather", {"city": "Paris"}), answer("22 degrees."))
    assert crew_of(model_of(name), [get_weather]).kickoff().raw == "22 degrees."
    assert last_results(name) == ["Paris: 22"]


def test_an_output_is_parsed(model_of, script):
    said = answer(json.dumps({"city": "Paris", "degrees": 22}))
    result = crew_of(model_of(script(said, said)), output_pydantic=Weather).kickoff()
    assert result.pydantic == Weather(city="Paris", degrees=22)


def test_a_crew_is_streamed(model_of, script):
    running = crew_of(model_of(script(answer("Final Answer: Yes, it is."))), stream=True).kickoff()
    pieces = [chunk.content for chunk in running]
    assert len(pieces) > 1
    assert "".join(pieces) == "Final Answer: Yes, it is."
    assert running.result.raw.endswith("Yes, it is.")


def test_a_crew_whose_stream_fails_raises_after_what_was_sampled(model_of, script):
    name = script([HALF_AN_ANSWER, {"fail": True}])
    running = crew_of(model_of(name), stream=True).kickoff()
    pieces = []
    with pytest.raises(openai.APIError):
        for chunk in running:
            pieces.append(chunk.content)
    assert "".join(pieces).startswith("One")


def test_a_failure_of_the_engine_raises(model_of, script):
    with pytest.raises(openai.InternalServerError):
        model_of(script([think("Hm."), {"fail": True}])).call("Well?")


def test_a_crew_whose_engine_fails_raises(model_of, script):
    with pytest.raises(openai.InternalServerError):
        crew_of(model_of(script([think("Hm."), {"fail": True}]))).kickoff()
