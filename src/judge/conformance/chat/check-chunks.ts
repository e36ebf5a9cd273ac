import { type Fields, isFields } from '../../../shared/fields.js'
import type { About } from '../about.js'
import { ClientRun } from '../clients/run.js'
import { FoundViolations } from '../found-violations.js'
import type { ReportViolation } from '../invariant.js'
import { asFields } from '../stream-event.js'
import type { Checker } from '../violation.js'
import { ChatAgreement } from './clients/agreement.js'
import { compare } from './clients/compare.js'
import { chatModelFor } from './clients/index.js'
import type { ChatInvariant, ChatProfile } from './invariant.js'
import { CHAT_INVARIANTS } from './invariants/index.js'
import {
  applyCall,
  applyDelta,
  ChatState,
  type ChoiceState,
  callOf,
  callsIn,
  choicesIn,
  isIndex,
  MAX_CHOICES,
  typeOfChunk,
} from './stream-state.js'

/**
 * Creates a checker for one stream of chunks. `createChecker` does it for the profiles of Chat Completions.
 *
 * @param without - the ids of rules to skip
 */
export function createChatChecker(profile: ChatProfile, without: readonly string[] = []): Checker {
  return createChatCheckerWithRun(profile, without).checker
}

/** A checker, and the run of the client's model if the profile is that of a client. */
export interface ChatCheckerWithRun {
  readonly checker: Checker
  readonly run: ChatRun | undefined
}

/** The run of a client's model over chunks. */
export type ChatRun = ClientRun<unknown, ChatAgreement>

/** Creates a {@link createChatChecker} that also gives access to the client's view. */
export function createChatCheckerWithRun(profile: ChatProfile, without: readonly string[] = []): ChatCheckerWithRun {
  const state = new ChatState()
  const checks = CHAT_INVARIANTS.filter(({ id, neededBy }) => neededBy.includes(profile) && !without.includes(id)).map(
    (rule) => ({ rule, check: rule.begin() }),
  )
  const found = new FoundViolations()
  let received = 0
  /** The `object` of the chunk that is checked; undefined at the end of the stream. */
  let type: string | undefined
  /** The choice and the call that are checked. */
  let where: About = {}
  let current = CHAT_INVARIANTS[0] as ChatInvariant

  const report: ReportViolation = (...reported) => {
    const about = { ...where, ...reported[3]?.about }
    found.add(current, { position: state.position, type, about }, ...reported)
  }

  const model = chatModelFor(profile)
  const run =
    model &&
    new ClientRun({
      model,
      agreement: new ChatAgreement(),
      compare: (seen, agreement, report) => compare(seen, agreement, model, report),
      report(rule, expected, got, words, at) {
        if (without.includes(rule)) return
        current = CHAT_RULES.get(rule) as ChatInvariant
        where = {}
        report(expected, got, words)
        found.moveLatest(at)
      },
    })

  function takeChoice(choice: Fields): void {
    const { index } = choice
    // The choice is unknown, which has been reported.
    if (!isIndex(index, MAX_CHOICES)) return
    const known = state.choices.get(index)
    where = { choice: index }
    for (const { rule, check } of checks) {
      current = rule
      check.choice?.(choice, known, state, report)
    }
    const seen = state.choice(index)
    const { finish_reason: reason } = choice
    const delta = asFields(choice['delta'])
    // Chunks after finish_reason are extraneous, and have been reported.
    if (seen.finish !== undefined) return
    for (const call of callsIn(delta)) takeCall(call, seen)
    applyDelta(delta, seen)
    if (reason === undefined || reason === null) return
    where = { choice: index }
    seen.finish = reason
    for (const { rule, check } of checks) {
      current = rule
      check.finish?.(reason, seen, report)
    }
  }

  function takeCall(delta: Fields, of: ChoiceState): void {
    const seen = callOf(delta, of)
    const call = seen?.index ?? delta['index']
    where = { choice: of.index, ...(Number.isInteger(call) ? { call: call as number } : {}) }
    for (const { rule, check } of checks) {
      current = rule
      check.call?.(delta, seen, of, report)
    }
    applyCall(delta, of, state.position)
  }

  const checker: Checker = {
    push(given) {
      state.position = received++
      type = typeOfChunk(given)
      run?.read(given, state.position)
      where = {}
      if (!isFields(given)) {
        // No other rule can check a value that is not an object.
        const shape = checks.find(({ rule }) => rule.id === 'chat-chunk-shape')
        if (shape === undefined) return found.take()
        current = shape.rule
        report('a chunk', given)
        return found.take()
      }
      const chunk: Fields = given
      for (const { rule, check } of checks) {
        current = rule
        check.chunk?.(chunk, state, report)
      }
      // Chunks after an error are extraneous.
      if (!state.hasFailed) for (const choice of choicesIn(chunk)) takeChoice(choice)
      state.apply(chunk)
      return found.take()
    },
    end() {
      state.position = received
      type = undefined
      run?.end()
      where = {}
      for (const { rule, check } of checks) {
        current = rule
        check.end?.(state, report)
      }
      return found.take()
    },
  }
  return { checker, run }
}

/** The rules by id. */
export const CHAT_RULES: ReadonlyMap<string, ChatInvariant> = new Map(CHAT_INVARIANTS.map((rule) => [rule.id, rule]))
