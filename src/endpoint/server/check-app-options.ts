import { CHAT_ANSWER_OPTIONS } from '../../dialects/chat/answer-options.js'
import { resolveDialect } from '../../dialects/named.js'
import { type OptionTable, picked } from '../../shared/options/check-options.js'
import {
  aBoolean,
  aFunction,
  aTimer,
  having,
  listOf,
  optionsOf,
  recordOf,
  that,
  wholeNumber,
} from '../../shared/options/checks.js'
import type { ResponsesAppOptions } from './options.js'
import { MAX_SECONDS, SERVICE_LIMITS, SERVICE_OPTIONS } from './service/check-service-options.js'

type AppLimits = NonNullable<ResponsesAppOptions['limits']>

export const APP_LIMITS: OptionTable<AppLimits> = {
  ...SERVICE_LIMITS,
  bodyBytes: wholeNumber(1),
  bodyRatio: wholeNumber(1),
  bodySeconds: wholeNumber(1, MAX_SECONDS),
  connections: wholeNumber(1),
  waitingRequests: wholeNumber(1),
  waitingMessages: wholeNumber(1),
  rememberedResponses: wholeNumber(1),
}

/** A name or an address with an optional port, as in `Host`. */
const aHost = that(
  (value) => typeof value === 'string' && /^[^\s/?#@]+$/.test(value) && URL.canParse(`http://${value}`),
  'a name as in Host, such as llm.example.com',
)

const hosts = listOf(aHost, "an array of names, or 'any'")

/** Spelled as browsers write it in `Origin`: another spelling would never match. */
const anOrigin = that(
  (value) => typeof value === 'string' && URL.canParse(value) && new URL(value).origin === value,
  'an origin as browsers send it, such as https://chat.example.com',
)

const somePages = recordOf(aFunction, 'an object of functions by their paths')

export const APP_OPTIONS: OptionTable<ResponsesAppOptions> = {
  ...SERVICE_OPTIONS,
  limits: optionsOf(APP_LIMITS),
  authorize: aFunction,
  authorizeOperator: aFunction,
  parts: listOf(having(['check'], 'a part with its check'), 'an array of parts'),
  adminProcesses: aFunction,
  hosts(value, path) {
    if (value !== 'any') hosts(value, path)
  },
  origins: listOf(anOrigin, 'an array of origins'),
  basePath: that((value) => typeof value === 'string' && /^(\/[\w.-]+)*$/.test(value), 'a path such as /v1'),
  // Throws for an invalid dialect.
  dialect: (value) => void resolveDialect(value as Parameters<typeof resolveDialect>[0]),
  chat: optionsOf(picked(CHAT_ANSWER_OPTIONS, ['reasoning', 'hostedCalls'])),
  done: aBoolean,
  keepAliveMs: aTimer,
  pages: somePages,
  operatorPages: somePages,
  upgradeWebSocket: aFunction,
}
