"""instructor: its modes over both APIs, retries, partial and iterable answers, failures."""

import json

import instructor
import openai
import pytest
from conftest import answer, call
from instructor.core import InstructorRetryException
from pydantic import BaseModel, field_validator


class Weather(BaseModel):
    """The weather."""

    city: str
    degrees: int


class Loud(BaseModel):
    """A word in capitals."""

    word: str

    @field_validator("word")
    def is_loud(cls, word):
        if not word.isupper():
            raise ValueError("must be in capitals")
        return word


WEATHER = {"city": "Paris", "degrees": 22}
ASKED = [{"role": "user", "content": "Paris?"}]
HALF_A_CALL = '<|channel|>commentary to=functions.Weather <|constrain|>json<|message|>{"city": "Paris"'


def client_of(base_url, mode):
    return instructor.from_openai(openai.OpenAI(base_url=base_url, api_key="none", max_retries=0), mode=mode)


@pytest.mark.parametrize("mode", [instructor.Mode.TOOLS, instructor.Mode.TOOLS_STRICT, instructor.Mode.RESPONSES_TOOLS])
def test_an_answer_by_a_call_is_parsed(base_url, script, mode):
    said = script(call("Weather", WEATHER))
    made = client_of(base_url, mode).create(model=said, messages=ASKED, response_model=Weather)
    assert made.model_dump() == WEATHER


@pytest.mark.parametrize("mode", [instructor.Mode.JSON, instructor.Mode.JSON_SCHEMA, instructor.Mode.MD_JSON])
def test_an_answer_in_json_is_parsed(base_url, script, mode):
    body = json.dumps(WEATHER)
    said = script(answer(f"```json\n{body}\n```" if mode is instructor.Mode.MD_JSON else body))
    made = client_of(base_url, mode).create(model=said, messages=ASKED, response_model=Weather)
    assert made.model_dump() == WEATHER


def test_an_answer_that_does_not_validate_is_asked_for_again(base_url, script):
    said = script(call("Loud", {"word": "quiet"}), call("Loud", {"word": "LOUD"}))
    client = client_of(base_url, instructor.Mode.TOOLS)
    assert client.create(model=said, messages=ASKED, response_model=Loud, max_retries=2).word == "LOUD"


def test_a_partial_answer_grows(base_url, script):
    client = client_of(base_url, instructor.Mode.TOOLS)
    parts = list(client.create_partial(model=script(call("Weather", WEATHER)), messages=ASKED, response_model=Weather))
    assert len(parts) > 1
    assert parts[-1].model_dump() == WEATHER


def test_several_answers_are_iterated(base_url, script):
    said = script(call("IterableWeather", {"tasks": [WEATHER, {**WEATHER, "city": "Rome"}]}))
    client = client_of(base_url, instructor.Mode.TOOLS)
    made = list(client.create_iterable(model=said, messages=ASKED, response_model=Weather))
    assert [one.city for one in made] == ["Paris", "Rome"]


@pytest.mark.parametrize("mode", [instructor.Mode.TOOLS, instructor.Mode.RESPONSES_TOOLS])
def test_a_failure_of_the_engine_raises(base_url, script, mode):
    client = client_of(base_url, mode)
    with pytest.raises(InstructorRetryException) as raised:
        client.create(model=script([HALF_A_CALL, {"fail": True}]), messages=ASKED, response_model=Weather)
    assert isinstance(raised.value.__cause__, openai.InternalServerError)


@pytest.mark.parametrize("mode", [instructor.Mode.TOOLS, instructor.Mode.RESPONSES_TOOLS])
def test_a_partial_answer_that_fails_raises_and_shows_no_part(base_url, script, mode):
    parts = []
    said = script([HALF_A_CALL, {"fail": True}])
    client = client_of(base_url, mode)
    with pytest.raises(InstructorRetryException) as raised:
        for part in client.create_partial(model=said, messages=ASKED, response_model=Weather):
            parts.append(part)
    assert isinstance(raised.value.__cause__, openai.APIError)
    assert parts == []
