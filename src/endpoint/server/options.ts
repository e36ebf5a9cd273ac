import type { MiddlewareHandler } from 'hono'
import type { ChatAnswerOptions, Dialect, DialectName } from '../../dialects/index.js'
import type { AdminProcess, AdminProcesses } from './admin/admin.js'
import type { CheckedPart } from './admin/parts.js'
import type { Authorize } from './authorize.js'
import type { HostRules } from './host-rules.js'
import type { BodyLimits } from './read-json.js'
import type { ServiceLimits, ServiceOptions } from './service/options.js'
import type { WebSocketLimits } from './web-socket/limits.js'

/** Options of {@link createResponsesApp}. */
export interface ResponsesAppOptions extends ServiceOptions, HostRules {
  /**
   * Returns the owner's name by a request's headers, or undefined to refuse it with 401. A WebSocket is authorized when
   * it opens, and again for each of its requests. Default: all requests have the same owner, which is safe only on a
   * loopback address.
   */
  readonly authorize?: Authorize
  /**
   * Returns the operator's name by a request's headers, or undefined to refuse it: with 403 if `authorize` knows its
   * sender, else with 401. It opens `operatorPages`, `/admin/...`, and nothing of the API. Default: nobody is the
   * operator, and nothing is counted for one.
   */
  readonly authorizeOperator?: Authorize
  /** Parts of the server that `GET /admin/parts` asks, besides engine and store. Default: none. */
  readonly parts?: readonly CheckedPart[]
  /**
   * Returns the processes that `/admin/...` speaks of, if there are several: their hosts exchange the plain JSON of
   * {@link AdminProcess}. Default: this one.
   */
  readonly adminProcesses?: (own: AdminProcess) => AdminProcesses
  /** The limits of the service, of bodies and of sockets. Each has a default. */
  readonly limits?: ServiceLimits & BodyLimits & WebSocketLimits
  /** The prefix of the routes. Default `/v1`. */
  readonly basePath?: string
  /** The dialect of events and responses: a name, or a dialect of `harmony-responses/dialects`. Default `openai`. */
  readonly dialect?: Dialect | DialectName
  /**
   * The form of Chat Completions answers: `reasoning` names the field that carries the reasoning. Default
   * `reasoning_content`; `both` for clients that know only `reasoning`. `hostedCalls: 'reasoning'` names the calls that
   * the server runs in it.
   */
  readonly chat?: Pick<ChatAnswerOptions, 'reasoning' | 'hostedCalls'>
  /** Ends streams with `data: [DONE]`, as Open Responses asks; OpenAI does not. Default: false. */
  readonly done?: boolean
  /**
   * The interval of keep-alives, in milliseconds: a comment is sent after this much silence, at the latest after twice
   * as much; a socket is pinged, and cut off after two unanswered pings in a row. Default 15,000; 0 disables both.
   */
  readonly keepAliveMs?: number
  /**
   * Pages of your own for GET, by path, behind the API's checks of host and key. One at the path of a health check
   * replaces it.
   */
  readonly pages?: Pages
  /** Pages for the operator alone, such as metrics: as `pages`, behind `authorizeOperator`. */
  readonly operatorPages?: Pages
  /** Serves the socket: `upgradeWebSocket` of `@hono/node-server`, or of another runtime. Default: no socket. */
  readonly upgradeWebSocket?: UpgradeWebSocket
}

/** Pages by their paths. */
export type Pages = Readonly<Record<string, (request: Request) => Response | Promise<Response>>>

/** The part of Hono's `UpgradeWebSocket` that is used here. */
export type UpgradeWebSocket = (createEvents: (context: never) => object) => MiddlewareHandler
