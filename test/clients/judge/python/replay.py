"""Reads streams as applications do, with the clients for Python: one request a line, and one outcome for each.

A request is {"client", "body"}: the body of one streamed answer. An outcome is what `Outcome` of replay.ts says.
"""

import json
import sys

import httpx2


def answered_with(body):
    """A client over HTTP whose every request is answered with a body."""

    def answer(_request):
        return httpx2.Response(200, headers={"content-type": "text/event-stream"}, content=body.encode())

    return httpx2.Client(transport=httpx2.MockTransport(answer))


def text_of(value):
    """A value as an application shows it."""
    if isinstance(value, str):
        return value
    return json.dumps(plain(value), separators=(",", ":"), ensure_ascii=False)


def by(table, reason):
    """What a table has for a reason, which may be anything."""
    return table.get(reason) if isinstance(reason, str) else None


def plain(value):
    return value.to_dict() if hasattr(value, "to_dict") else value


def finite(value):
    """A value as JSON has it: numbers that JSON lacks are null, as for JavaScript."""
    if isinstance(value, dict):
        return {name: finite(field) for name, field in value.items()}
    if isinstance(value, list):
        return [finite(entry) for entry in value]
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return None if is_number and not abs(value) <= sys.float_info.max else value


def called(name, given):
    is_text = isinstance(given, str)
    given = text_of(given)
    try:
        given = json.loads(given) if is_text else given
    except ValueError:
        pass
    return {"name": text_of(name), "arguments": given}


def message_in(error):
    """The server's message in an error that the SDK raises."""
    body = error.body
    if isinstance(body, dict):
        body = body.get("error", body)
    message = body.get("message") if isinstance(body, dict) else None
    return message if isinstance(message, str) else ""


def openai_client(body):
    import openai

    return openai.OpenAI(base_url="http://server.invalid/v1", api_key="none", max_retries=0, http_client=answered_with(body))


class Shown:
    """What was shown so far; an exception may end it."""

    def __init__(self):
        self.streamed = ""
        self.reasoning = ""
        self.rest = {"calls": [], "citations": []}

    def outcome(self, **more):
        return {"streamed": self.streamed, "reasoning": self.reasoning, **self.rest, **more}


def responses(body, shown):
    """`responses.stream()`: text and reasoning as the delta events have them, the rest as the response at the end has it.

    The reasoning of each item is shown apart from that of others, and from its summary.
    """
    thoughts = {}
    failure = None
    end = None
    with openai_client(body).responses.stream(model="model", input="Hello") as stream:
        for event in stream:
            if event.type == "response.output_text.delta":
                shown.streamed += text_of(event.delta)
            elif event.type in ("response.reasoning_text.delta", "response.reasoning_summary_text.delta"):
                of = (event.type, text_of(getattr(event, "output_index", None)))
                thoughts[of] = thoughts.get(of, "") + text_of(event.delta)
                shown.reasoning = "".join(thoughts.values())
            elif event.type == "error":
                failure = text_of(event.message)
            elif event.type in ("response.completed", "response.incomplete", "response.failed"):
                end = event
        if end is None and failure is not None:
            return shown.outcome(ending="failed", error=failure)
        is_cut = end is not None and end.type != "response.completed"
        response = end.response if is_cut else stream.get_final_response()
    stated = ("completed", "incomplete", "failed", "cancelled")
    ending = response.status if response.status in stated else "open"
    calls, citations = [], []
    for item in response.output:
        if item.type in ("function_call", "custom_tool_call") and getattr(item, "status", None) != "incomplete":
            name = item.name if getattr(item, "namespace", None) is None else f"{item.namespace}.{item.name}"
            calls.append(called(name, item.arguments if item.type == "function_call" else item.input))
        elif item.type == "message":
            for part in item.content:
                for source in (getattr(part, "annotations", None) or []) if part.type == "output_text" else []:
                    cited = getattr(source, "url", None) or getattr(source, "file_id", None)
                    if isinstance(cited, str) and cited != "":
                        citations.append(cited)
    shown.rest = {"calls": calls, "citations": citations}
    error = getattr(response, "error", None)
    more = {} if error is None else {"error": text_of(error.message)}
    return shown.outcome(final=response.output_text, ending=ending, **more)


ENDINGS = {"stop": "completed", "tool_calls": "completed", "function_call": "completed"}


def chat(body, shown):
    """`chat.completions.stream()`: text as its events show it, the rest as the completion has it."""
    import openai

    messages = [{"role": "user", "content": "Hello"}]
    with openai_client(body).chat.completions.stream(model="model", messages=messages) as stream:
        for event in stream:
            if event.type in ("content.delta", "refusal.delta"):
                shown.streamed += text_of(event.delta)
        try:
            stream.get_final_completion()
            ending = None
        except (openai.LengthFinishReasonError, openai.ContentFilterFinishReasonError):
            # Its way to say that the answer was cut off, which it has all the same.
            ending = "incomplete"
        choices = stream.current_completion_snapshot.choices
    said, calls = [], []
    for choice in choices:
        message = choice.message
        said += [text_of(text) for text in (message.content, message.refusal) if text is not None]
        old = message.function_call
        if old is not None and not message.tool_calls:
            calls.append(called(old.name, old.arguments))
        for call in message.tool_calls or []:
            calls.append(called(call.function.name, call.function.arguments))
    shown.rest = {"calls": calls, "citations": []}
    reason = choices[0].finish_reason
    finish = by({"stop": "stop", "tool_calls": "tool-calls", "function_call": "tool-calls"}, reason)
    more = {} if finish is None else {"finish": finish}
    return shown.outcome(final="".join(said), ending=ending or by(ENDINGS, reason) or "open", **more)


STOPS = {
    **{"end_turn": "completed", "tool_use": "completed", "stop_sequence": "completed", "pause_turn": "completed"},
    **{"max_tokens": "incomplete", "refusal": "incomplete", "model_context_window_exceeded": "incomplete"},
}


def pages(block):
    """The addresses of the pages of the web that a text cites."""
    cited = block.citations if isinstance(block.citations, list) else []
    cited = [one.url for one in cited if getattr(one, "type", None) == "web_search_result_location"]
    return [url for url in cited if isinstance(url, str) and url != ""]


def messages(body, shown):
    """`messages.stream()`: text and thinking as its events show them, the rest as `get_final_message()` has it."""
    import anthropic

    client = anthropic.Anthropic(
        base_url="http://server.invalid", api_key="none", max_retries=0, http_client=answered_with(body)
    )
    asked = [{"role": "user", "content": "Hello"}]
    with client.messages.stream(model="model", max_tokens=4096, messages=asked) as stream:
        for event in stream:
            if event.type == "text":
                shown.streamed += text_of(event.text)
            elif event.type == "thinking":
                shown.reasoning += text_of(event.thinking)
        message = stream.get_final_message()
    texts = [text_of(block.text) for block in message.content if block.type == "text"]
    blocks = [block for block in message.content if block.type == "tool_use"]
    cited = [page for block in message.content if block.type == "text" for page in pages(block)]
    shown.rest = {"calls": [{"name": text_of(one.name), "arguments": plain(one.input)} for one in blocks], "citations": cited}
    finish = by({"end_turn": "stop", "stop_sequence": "stop", "tool_use": "tool-calls"}, message.stop_reason)
    more = {} if finish is None else {"finish": finish}
    return shown.outcome(final="".join(texts), ending=by(STOPS, message.stop_reason) or "open", **more)


READERS = {"responses": responses, "chat": chat, "messages": messages}


def replayed(client, body):
    shown = Shown()
    try:
        return READERS[client](body, shown)
    except Exception as error:  # Whatever the client raises is its outcome.
        # An error that the server sends has its body; input that the SDK refuses is an error of its own.
        is_of_server = hasattr(error, "body") and type(error).__module__.split(".")[0] in ("openai", "anthropic")
        shown.rest = {"calls": [], "citations": []}
        if is_of_server:
            return shown.outcome(ending="failed", error=message_in(error))
        return shown.outcome(ending="threw", error=f"{type(error).__name__}: {error}"[:200])


for line in sys.stdin:
    request = json.loads(line)
    print(json.dumps(finite(replayed(request["client"], request["body"])), allow_nan=False), flush=True)
