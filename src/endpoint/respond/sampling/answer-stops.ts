import type { HarmonyHeader } from '../../../core/harmony/events.js'
import { toolNamed } from '../../../core/recipients/declared-tools.js'
import type { RequestTools } from '../../../core/recipients/request-tools.js'
import type { ResponseRequest } from '../../../core/responses/request.js'
import { encoderOf } from '../../../core/tokens/encoder.js'
import type { TokenTable } from '../../../core/tokens/token-table.js'
import { check } from '../../../shared/errors.js'
import type { OpenEntry } from '../../journal/entry.js'
import type { ResponseFold } from '../../journal/response-fold.js'
import { MAX_STOPS } from '../../request/limits.js'
import { openMessage } from '../open-message.js'
import { StopWatch } from './stop-watch.js'

/**
 * Returns the strings that end the answer of a request: `stop`.
 *
 * @throws HarmonyResponsesError `bad_option` if they are not strings, too many, or one of them is empty
 */
export function stopStrings({ stop }: ResponseRequest): readonly string[] {
  const strings: readonly unknown[] = stop == null ? [] : Array.isArray(stop) ? stop : [stop]
  const isRight = strings.length <= MAX_STOPS && strings.every(isText)
  check(isRight, 'request.stop', `a string or up to ${MAX_STOPS} strings, none of them empty`, stop)
  return strings as readonly string[]
}

/** Whether it is a string without lone surrogates: an answer that ended in the other half would be invalid. */
function isText(value: unknown): boolean {
  return typeof value === 'string' && value !== '' && !/\p{Surrogate}/u.test(value)
}

/** The strings that end the answers of a response. {@link ownParameters} describes where `stop` has no effect. */
export interface AnswerStops {
  /** Creates a watch for the next call of the model. */
  watch(fold: ResponseFold): StopWatch
}

/** Returns undefined if there are none. */
export function answerStops(
  open: OpenEntry,
  { declared, classify }: RequestTools,
  tokenTable: TokenTable,
): AnswerStops | undefined {
  const strings = open.isCompaction ? [] : stopStrings(open.request)
  if (strings.length === 0) return undefined
  const isAnswer = ({ role, recipient, channel }: HarmonyHeader): boolean => {
    if (role !== 'assistant') return false
    const callee = classify(recipient, channel)
    return callee.kind === 'message' && callee.phase !== 'commentary'
  }
  const shared = {
    strings,
    tokenTable,
    encode: encoderOf(tokenTable),
    toolNamed: (word: string) => toolNamed(word, declared),
    isAnswer,
  }
  return {
    watch(fold) {
      const open = openMessage(fold.turnTokens, shared)
      return new StopWatch({
        ...shared,
        parser: fold.parserState,
        begun: open && isAnswer(open.header) ? open.text : undefined,
      })
    },
  }
}
