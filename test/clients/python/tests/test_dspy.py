"""dspy over both APIs: predictions, chains of thought, JSON, ReAct."""

import json
from typing import Literal

import dspy
import pytest
from conftest import answer, think


@pytest.fixture(params=["responses", "chat"])
def model_of(request, base_url):
    return lambda name: dspy.LM(
        f"openai/{name}", api_base=base_url, api_key="none", model_type=request.param, cache=False, num_retries=0
    )


def fields(**values):
    said = "\n\n".join(f"[[ ## {name} ## ]]\n{value}" for name, value in values.items())
    return answer(f"{said}\n\n[[ ## completed ## ]]")


def test_a_prediction_is_read(model_of, script):
    with dspy.context(lm=model_of(script(think("Hm.") + fields(reply="Yes.")))):
        assert dspy.Predict("question -> reply")(question="Well?").reply == "Yes."


def test_a_chain_of_thought_is_read(model_of, script):
    with dspy.context(lm=model_of(script(fields(reasoning="Hm.", reply="Yes.")))):
        assert dspy.ChainOfThought("question -> reply")(question="Well?").reasoning == "Hm."


def test_typed_fields_come_in_json(model_of, script):
    class Mood(dspy.Signature):
        text: str = dspy.InputField()
        mood: Literal["calm", "wild"] = dspy.OutputField()
        level: int = dspy.OutputField()

    said = answer(json.dumps({"mood": "calm", "level": 3}))
    with dspy.context(lm=model_of(script(said)), adapter=dspy.JSONAdapter()):
        read = dspy.Predict(Mood)(text="Hush.")
    assert (read.mood, read.level) == ("calm", 3)


def test_react_runs_its_tools(model_of, script):
    def get_weather(city: str) -> str:
        """The weather."""
        return f"{city}: 22"

    name = script(
        fields(next_thought="I ask.", next_tool_name="get_weather", next_tool_args='{"city": "Paris"}'),
        fields(next_thought="Enough.", next_tool_name="finish", next_tool_args="{}"),
        fields(reasoning="It says 22.", reply="22 degrees."),
    )
    with dspy.context(lm=model_of(name)):
        read = dspy.ReAct("question -> reply", tools=[get_weather])(question="Paris?")
    assert read.reply == "22 degrees."
    assert "Paris: 22" in str(read.trajectory)
