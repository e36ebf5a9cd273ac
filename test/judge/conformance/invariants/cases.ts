import { expect, test } from 'vitest'
import type { Invariant, Profile } from '../../../../src/judge/conformance/index.js'
import {
  BASES,
  type BaseName,
  brokenBy,
  cut,
  type Damage,
  type Draft,
  damaged,
  itemsIn,
  nth,
  saidOf,
  set,
  setItem,
  setResponse,
} from './streams.js'

/** A good stream, its damage, the profiles that check it, and all expected violations: `position rule`. */
export type Case = readonly [
  base: BaseName,
  profile: Profile,
  damage: Damage | readonly Damage[],
  said: readonly string[],
]

/** One damage after the other. */
export const both =
  (...damages: readonly Damage[]): Damage =>
  (events) =>
    damages.reduce((stream, damage) => damage(stream) ?? stream, events)

/** Everything about the last item at another index. */
export const lastItemAt =
  (index: number): Damage =>
  (events) => {
    const last = nth(events, 'output_item.added', -1)['output_index']
    for (const event of events.filter(({ output_index }) => output_index === last)) event['output_index'] = index
  }

/** The first item of a type under another id, wherever it is named. */
export const renamed =
  (type: string, to: string, at = 0): Damage =>
  (events) => {
    const id = itemsIn(events, type, ['added'])[at]?.['id']
    for (const event of events) if (event['item_id'] === id) event['item_id'] = to
    for (const item of itemsIn(events, type, ['added', 'done', 'terminal'])) if (item['id'] === id) item['id'] = to
  }

export const halfArguments: Damage = both(
  cut(4, 5),
  set('function_call_arguments.done', { arguments: '{"city":' }),
  setItem('function_call', { arguments: '{"city":' }, ['done', 'terminal']),
)

const TWICE = JSON.stringify('{"city":"Paris"}')

export const encodedTwice: Damage = both(
  cut(4, 5),
  set('function_call_arguments.delta', { delta: TWICE }),
  set('function_call_arguments.done', { arguments: TWICE }),
  setItem('function_call', { arguments: TWICE }, ['done', 'terminal']),
)

export const allResponses = (fields: { readonly [field: string]: unknown }): Damage =>
  both(...['created', 'in_progress', 'completed'].map((type) => setResponse(type, fields)))

export const TRACE: Draft = { type: 'acme:trace' }

/** Tests of the invariants of a group: a case for each of them. */
export function describeCases(
  group: readonly Invariant[],
  cases: Readonly<Record<string, Readonly<Record<string, Case>>>>,
): void {
  test('each invariant has a case', () => {
    expect(Object.keys(cases).sort()).toEqual(group.map(({ id }) => id).sort())
  })

  const all = Object.entries(cases).flatMap(([id, byName]) =>
    Object.entries(byName).map(([name, given]) => [id, name, given] as const),
  )

  test.each(all)('%s: %s', (id, _name, [base, profile, damage, said]) => {
    const before = brokenBy(BASES[base](), profile)
    const lines = saidOf(damaged(BASES[base](), ...[damage].flat()), profile)
    // What Open Responses words otherwise is no damage of these cases.
    const own = lines.filter((line) => {
      const [, rule = ''] = line.split(' ')
      return !(rule.startsWith('open-responses-') && before.includes(rule))
    })
    expect(own).toEqual(said)
    expect(group.find((invariant) => invariant.id === id)?.neededBy).toContain(profile)
  })
}
