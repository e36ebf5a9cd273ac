import type { MiddlewareHandler } from 'hono'
import type { ChatAnswerOptions, Dialect, DialectName } from '../dialects/index.js'
import type { Authorize } from './authorize.js'
import type { HostRules } from './host-rules.js'
import type { BodyLimits } from './read-json.js'
import type { ServiceLimits, ServiceOptions } from './service/options.js'
import type { WebSocketLimits } from './web-socket/limits.js'

/** Options of {@link createResponsesApp}. */
export interface ResponsesAppOptions extends ServiceOptions, HostRules {
  /**
   * Whose request it is, by its headers: the owner's name, or undefined to refuse it with 401. Default: everybody is the
   * same owner, which is safe only on a loopback address.
   */
  readonly authorize?: Authorize
  readonly limits?: ServiceLimits & BodyLimits & WebSocketLimits
  /** Where the routes begin. Default `/v1`. */
  readonly basePath?: string
  /** The wording of events and responses: a name, or a dialect of `harmony-responses/dialects`. Default `openai`. */
  readonly dialect?: Dialect | DialectName
  /**
   * How answers of Chat Completions are worded: `reasoning` names the field that carries the reasoning. Default
   * `reasoning_content`; `both` for clients that know only `reasoning`. `hostedCalls: 'reasoning'` names the calls that the
   * server runs in it.
   */
  readonly chat?: Pick<ChatAnswerOptions, 'reasoning' | 'hostedCalls'>
  /** Ends streams with `data: [DONE]`, as Open Responses asks; OpenAI does not. Default: false. */
  readonly done?: boolean
  /**
   * A comment is sent when nothing else was for so long, in milliseconds, at the latest after twice as long; a socket is
   * asked whether its client is there, and cut off when two questions in a row have no answer. Default 15,000; 0 does
   * neither.
   */
  readonly keepAliveMs?: number
  /** Pages of your own for GET, by their paths, behind the same checks as the API: of the host, and of the key. */
  readonly pages?: Readonly<Record<string, (request: Request) => Response | Promise<Response>>>
  /** Serves the socket: `upgradeWebSocket` of `@hono/node-server`, or of another runtime. Default: there is no socket. */
  readonly upgradeWebSocket?: UpgradeWebSocket
}

/** As much of Hono's `UpgradeWebSocket` as is used here. */
export type UpgradeWebSocket = (createEvents: (context: never) => object) => MiddlewareHandler
