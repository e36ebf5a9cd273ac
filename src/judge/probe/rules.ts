/**
 * The probe's own rules, besides those of the judge: for the connection, for HTTP, and for faults that show only over
 * several requests. Ids are stable, because programs branch on them.
 */
export const RULES = {
  answers: 'A good request is answered with status 200.',
  'answers-in-time': 'The server is never silent for longer than the time-out.',
  'answers-in-json': 'An answer that is not streamed is valid JSON.',
  'answer-size': 'An answer ends.',
  connection: 'The connection stays open until the answer is complete.',
  succeeds: 'The response is completed or incomplete, not failed.',
  'content-type': 'A stream is text/event-stream, any other answer application/json.',
  streams: 'A request with stream: true is answered with a stream.',
  'stream-closes': 'The connection closes after the terminal event: most clients read to its end.',
  'frame-lines': 'A stream consists of lines of server-sent events.',
  'frame-is-event': 'Each frame holds one event as JSON, with a type.',
  'frame-is-closed': 'A blank line closes each frame, the last one included.',
  'event-line': 'The event: line of a frame, if there is one, repeats the type; in the Messages API there is one.',
  'done-is-last': 'Nothing comes after [DONE].',
  'done-is-sent': 'A stream of Chat Completions ends with data: [DONE].',
  'response-shape': 'An answer that is not streamed has the fields that a streamed response has at OpenAI.',
  'completion-shape': 'A chat completion that is not streamed has the fields that it has at OpenAI.',
  'message-shape': 'A message that is not streamed has the fields that it has at Anthropic.',
  'same-shape': 'The same request gets a response with the same fields, streamed or not.',
  'items-go-back': 'The server accepts its own items, or messages, as input, with the outputs of calls.',
  'call-ids-differ': 'Each call has a unique call_id, or id in the other APIs.',
  'parallel-kept': 'Where parallel_tool_calls: false is accepted, an answer has one call at most.',
  'tool-choice-kept': 'A tool_choice that is accepted is obeyed.',
  'format-kept': 'A strict format that is accepted is obeyed.',
  'arguments-kept': 'The arguments of a strict function satisfy its schema.',
  'limit-kept': 'max_output_tokens, or max_tokens of the other APIs, is obeyed.',
  'truncation-reported': 'An answer that was cut off says that it is incomplete, and why.',
  'stop-kept':
    'A stop string ends the answer before it, with finish_reason "stop"; in the Messages API, stop_reason "stop_sequence" and stop_sequence say so.',
  'tokens-counted':
    'count_tokens answers with input_tokens: about those of the answer itself, and more for a longer request.',
  'usage-kept': 'The token counts come where include_usage asks for them, and nowhere else in a stream.',
  'reasoning-apart': 'Reasoning is in reasoning_content or reasoning; no part or marker of it is in the text.',
  'reasoning-counted': 'Reasoning that is shown counts as reasoning_tokens, which are a part of output_tokens.',
  refuses: 'A bad request is refused with a status from 400 to 499.',
  'error-body':
    'An error has a body that clients can read: {"error": {"message", "type", "param", "code"}}; in the Messages API {"type": "error", "error": {"type", "message"}}.',
  'previous-echoed': 'A response repeats the previous_response_id of its request.',
  'previous-used': 'A previous_response_id that is accepted is not ignored.',
  cancels: 'A response that is cancelled has the status "cancelled", at once and later.',
  'resumes-exactly': 'A resumed stream has the events after starting_after, unchanged.',
} as const

/** The id of one of the probe's own rules. */
export type Rule = keyof typeof RULES
