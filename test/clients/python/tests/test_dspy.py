"""dspy over both APIs: predictions, chains of thought, JSON, ReAct, streams, failures."""

import json
import os
from typing import Literal

import pytest
from conftest import answer, asynchronous, think

# Otherwise it downloads a list of models.
os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "true"

import dspy  # noqa: E402
from dspy.utils.exceptions import LMServerError  # noqa: E402


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


async def streamed(model):
    """Each piece of the reply, then the prediction."""
    listener = dspy.streaming.StreamListener(signature_field_name="reply")
    predict = dspy.streamify(dspy.Predict("question -> reply"), stream_listeners=[listener])
    with dspy.context(lm=model):
        async for piece in predict(question="Count."):
            yield piece


@asynchronous
async def test_a_field_is_streamed(model_of, script):
    *pieces, prediction = [piece async for piece in streamed(model_of(script(fields(reply="One two three four."))))]
    assert len(pieces) > 1
    assert "".join(piece.chunk for piece in pieces).strip() == "One two three four." == prediction.reply


@asynchronous
async def test_a_stream_that_fails_raises(model_of, script):
    half = "<|channel|>final<|message|>[[ ## reply ## ]]\n" + "One two three four five six seven eight nine ten " * 3
    seen = []
    with pytest.raises(LMServerError):
        async for piece in streamed(model_of(script([half, {"fail": True}]))):
            seen.append(piece.chunk)
    assert "".join(seen).startswith("One two")


def test_a_failure_of_the_engine_raises(model_of, script):
    with dspy.context(lm=model_of(script([think("Hm."), {"fail": True}]))), pytest.raises(LMServerError):
        dspy.Predict("question -> reply")(question="Well?")
