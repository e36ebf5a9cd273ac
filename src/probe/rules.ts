/**
 * What the probe itself demands, beside the judge's invariants: of the connection, of HTTP, and of what only several
 * requests together show. Ids are stable: programs branch on them.
 */
export const RULES = {
  answers: 'A good request is answered with status 200.',
  'answers-in-time': 'The server is not silent for longer than the time-out.',
  'answers-in-json': 'An answer that is not streamed is JSON.',
  'answer-size': 'An answer comes to an end.',
  connection: 'The connection holds until the answer is whole.',
  succeeds: 'The response is completed or incomplete, not failed.',
  'content-type': 'A stream is text/event-stream, any other answer application/json.',
  streams: 'A request with stream: true is answered with a stream.',
  'stream-closes': 'The connection closes after the terminal event: most clients read to its end.',
  'frame-lines': 'A stream consists of the lines that server-sent events have.',
  'frame-is-event': 'Each frame holds one event as JSON, with a type.',
  'frame-is-closed': 'A blank line closes each frame, the last one included.',
  'event-line': 'The event: line of a frame, where there is one, repeats the type.',
  'done-is-last': 'Nothing comes after [DONE].',
  'response-shape': 'An answer that is not streamed has the fields that a streamed response has at OpenAI.',
  'same-shape': 'The same request gets a response of the same form, streamed or not.',
  'items-go-back': 'The server takes its own items back, with the outputs of calls.',
  'call-ids-differ': 'Each call has a call_id of its own.',
  'tool-choice-kept': 'A tool_choice that is accepted is kept.',
  'format-kept': 'A strict format that is accepted is kept.',
  'limit-kept': 'max_output_tokens is kept.',
  'truncation-reported': 'An answer that was cut off says that it is incomplete, and why.',
  refuses: 'A bad request is refused with a status from 400 to 499.',
  'error-body': 'An error has the body that clients read: {"error": {"message", "type", "param", "code"}}.',
  'previous-echoed': 'A response repeats the previous_response_id of its request.',
  'previous-used': 'A previous_response_id that is accepted is not ignored.',
  'resumes-exactly': 'A resumed stream has the events after starting_after, unchanged.',
} as const

/** The id of a rule of the probe's own. */
export type Rule = keyof typeof RULES
