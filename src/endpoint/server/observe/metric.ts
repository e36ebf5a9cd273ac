/*
 * Events in a server, for metrics and logs. Times are in seconds, by a monotonic clock. They contain no content;
 * `path`, `param`, `session` and `requestedModel` are the client's own words: log them escaped, and never use them as
 * labels.
 */

interface OfRequest {
  /** The value of `x-request-id`. */
  readonly requestId: string
  /** `GET`, `POST`, `DELETE`, `OPTIONS`, or `other`. */
  readonly method: string
}

/** An HTTP request arrived. */
export interface RequestStarted extends OfRequest {
  readonly type: 'request_started'
}

/** An HTTP request was answered, to the end of its stream, or its client left. */
export interface RequestEnded extends OfRequest {
  readonly type: 'request_ended'
  /** The pattern of the route: `/v1/responses/:id`, or one that ends in `*` if there is none. */
  readonly route: string
  /** The requested path without the query: the client's words. */
  readonly path: string
  /** The status of the answer: a stream's is 200 however it ended. From 400 on, the request was refused or failed. */
  readonly status: number
  /** Seconds from its arrival to the end of its answer. */
  readonly seconds: number
  /** Whether the client left before the end of the answer. */
  readonly isAborted: boolean
  /**
   * The owner, according to `authorize`; null if the request was refused before that, or needs no key: a health check.
   */
  readonly owner: string | null
  /** The code of the error in its answer: `invalid_type`, `host_not_allowed`. Null if there is none. */
  readonly code: string | null
  /** The parameter at fault: `input[3].type`. It may contain keys that the client chose. */
  readonly param: string | null
  /** Claude Code's session headers: the client's words, printable and at most 128 characters each. */
  readonly session: ClientSession | null
}

/** The client's session of a request. It identifies no user. */
export interface ClientSession {
  /** The session's id. */
  readonly id: string
  /** The agent's id within the session. Null if the client names none. */
  readonly agent: string | null
  /** The id of the agent that started it. Null if the client names none. */
  readonly parentAgent: string | null
}

/** The number of running responses and of waiting requests changed. */
export interface LoadChanged {
  readonly type: 'load_changed'
  /** The number of responses that run. */
  readonly running: number
  /** The number of requests that wait for a place. */
  readonly waiting: number
}

/** A request was refused, or a client cut off, because its bytes exceeded `limits.memoryBytes`. */
export interface MemoryRefused {
  readonly type: 'memory_refused'
  /** The purpose of the bytes: `body`, `queue`, `response`, `socket`, `reader`. */
  readonly purpose: string
  /** The bytes that were requested. */
  readonly bytes: number
  /** Whether the request could never fit. */
  readonly isPermanent: boolean
  /** The bytes in use at that time. */
  readonly usedBytes: number
  /** The budget, in bytes. */
  readonly totalBytes: number
}

interface OfResponse {
  /** The id of the response. */
  readonly responseId: string
  /** The name of the model if the server lists it, else `other`. */
  readonly model: string
}

/** A response has begun: its request was accepted, and has waited for its turn. */
export interface ResponseStarted extends OfResponse {
  readonly type: 'response_started'
  /** Absent for a socket's request, which is not an HTTP request of its own. */
  readonly requestId?: string
  /** The model in the request: the client's words. */
  readonly requestedModel: string
  /** Seconds since the request was read. */
  readonly seconds: number
}

/** The model's first token of a response. */
export interface FirstToken extends OfResponse {
  readonly type: 'first_token'
  /** Seconds since the request was read. */
  readonly seconds: number
}

/** A call of the engine has ended. */
export interface ModelCalled extends OfResponse {
  readonly type: 'model_called'
  /** Seconds from its beginning to its end. */
  readonly seconds: number
  /** The number of sampled tokens. */
  readonly tokens: number
  /** Whether it ended with an error. */
  readonly isFailed: boolean
}

/** The engine failed in the middle of a response, and is asked again for the rest. */
export interface EngineRestarted extends OfResponse {
  readonly type: 'engine_restarted'
  /** Where, and what starts again there: `after 27 tokens, and its seed starts again`. */
  readonly detail: string
}

/** A hosted call ran. */
export interface ToolCalled extends OfResponse {
  readonly type: 'tool_called'
  /** The type of its item: `mcp_call`, `code_interpreter_call`, `web_search_call`, `shell_call`. */
  readonly tool: string
  /** Seconds from its beginning to its end. */
  readonly seconds: number
  /** Whether it has no result but an error. */
  readonly isFailed: boolean
}

/** A response has ended. */
export interface ResponseEnded extends OfResponse {
  readonly type: 'response_ended'
  /** Absent for a socket's request, which is not an HTTP request of its own. */
  readonly requestId?: string
  /** The model in the request: the client's words. */
  readonly requestedModel: string
  /** The owner, according to `authorize`. */
  readonly owner: string
  /** Also `cancelled` if its client left, and `failed` if it could not be stored. */
  readonly status: 'completed' | 'incomplete' | 'failed' | 'cancelled'
  /** The code of its error. Null if it has not failed. */
  readonly code: string | null
  /** Seconds since the request was read. */
  readonly seconds: number
  /** Null if unknown. */
  readonly inputTokens: number | null
  /** Input tokens from the engine's cache. Null if unknown. */
  readonly cachedTokens: number | null
  /** Null if unknown. */
  readonly outputTokens: number | null
  /** Output tokens that are reasoning. Null if unknown. */
  readonly reasoningTokens: number | null
  /** The types of tools that the request declared but the model was not taught, because nothing runs them. */
  readonly unhostedTools: readonly string[]
}

/** A response of a dead process was taken over: this process continues it, or has ended it as failed. */
export interface ResponseTakenOver {
  readonly type: 'response_taken_over'
  /** The id of the response. */
  readonly responseId: string
  /** Whether this process continues it. Otherwise it has failed. */
  readonly continues: boolean
  /**
   * Why it does not continue: `client_gone`, `other_version`, `text_engine`, `unknown_model`, `entries_lost`. Null if it does.
   */
  readonly reason: string | null
}

/** What the endpoint measures. `type` narrows it. It contains no content of requests or answers. */
export type Metric =
  | RequestStarted
  | RequestEnded
  | LoadChanged
  | MemoryRefused
  | ResponseStarted
  | FirstToken
  | ModelCalled
  | EngineRestarted
  | ToolCalled
  | ResponseEnded
  | ResponseTakenOver

/** Receives events as they happen. Called often, so it has to be fast; its errors are reported. */
export type OnMetric = (metric: Metric) => void
