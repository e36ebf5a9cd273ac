import type { Constraint } from '../../src/engines/contract/index.js'
import { enforcedBy, type SentConstraint, sentTo } from '../../src/engines/sources/structured-outputs/fit-constraint.js'
import { plainSchema } from '../../src/engines/sources/structured-outputs/plain-schema.js'
import { atOnce } from '../../src/shared/slices.js'
import { validatorOf } from '../support/json-schema-judge.js'
import { KEYWORD_CASES } from './keyword-cases/index.js'
import type { KeywordCase, Schema } from './keyword-cases/keyword-case.js'

const BACKENDS = ['xgrammar', 'other'] as const
type Backend = (typeof BACKENDS)[number]

/** Bodies to judge, by a constraint in the form in which a server gives it to a library. */
export interface Question {
  readonly kind: string
  readonly text: string
  /** The right ones, then the wrong ones. */
  readonly bodies: readonly string[]
}

export interface Verdicts {
  readonly verdicts: readonly boolean[]
  readonly error: string | null
}

/** A case with what a backend is sent for it. */
export interface AskedCase {
  readonly id: string
  readonly backend: Backend
  readonly name: string
  readonly right: readonly string[]
  /** With their keywords. */
  readonly wrong: readonly (readonly [keyword: string, body: string])[]
  /** The paths of what is reported as not enforced. */
  readonly relaxed: readonly string[]
  readonly sent: Question
  /** The names of the keywords that are not sent natively. */
  readonly leftOut: readonly string[]
  /** The whole schema as it is, if it is not sent like that. */
  readonly native: Question | undefined
}

/** outlines needs minutes for them as they are: that is why they are left out. */
const TOO_SLOW_NATIVELY: readonly string[] = ['required names alone']
const IS_LONG = /"(?:min|max)Length":\d{2}/

/** Every case for each backend. @throws Error for a body that is not what its case says */
export function askedCases(): readonly AskedCase[] {
  return Object.entries(KEYWORD_CASES).flatMap(([name, given]) => {
    checkBodies(name, given)
    return BACKENDS.map((backend) => askedCase(backend, name, given))
  })
}

/** A case would prove nothing if its right bodies were wrong, or the other way round. */
function checkBodies(name: string, { schema, right, wrong }: KeywordCase): void {
  const isValid = validatorOf(schema)
  const isRight = (body: string): boolean | undefined => {
    try {
      return isValid(JSON.parse(body))
    } catch {
      return undefined
    }
  }
  for (const body of right) if (isRight(body) !== true) throw new Error(`${name}: ${body} is not right`)
  for (const [keyword, bodies] of Object.entries(wrong)) {
    const expected = keyword === 'text' ? undefined : false
    for (const body of bodies) if (isRight(body) !== expected) throw new Error(`${name}: ${body} is not as ${keyword}`)
  }
}

function askedCase(backend: Backend, name: string, { schema, right, wrong }: KeywordCase): AskedCase {
  const { constraint, relaxed } = atOnce(
    enforcedBy(backend, { hasLark: true }).fit?.({ jsonSchema: schema }) ?? raise(name),
  )
  if (constraint === undefined) throw new Error(`${name}: nothing is sent to ${backend}`)
  const listed = Object.entries(wrong).flatMap(([keyword, bodies]) => bodies.map((body) => [keyword, body] as const))
  const bodies = [...right, ...listed.map(([, body]) => body)]
  const { leftOut } = atOnce(plainSchema(schema as Record<string, unknown>, backend))
  const isSlow = backend === 'other' && (TOO_SLOW_NATIVELY.includes(name) || IS_LONG.test(JSON.stringify(schema)))
  return {
    ...{ id: `${name}, ${backend}`, backend, name, right, wrong: listed, relaxed: relaxed.map(({ path }) => path) },
    sent: { ...inText(sentTo(backend, constraint)), bodies },
    leftOut: [...new Set(leftOut.map(({ path }) => lastOf(path)))],
    native: leftOut.length === 0 || isSlow ? undefined : { ...inText(asItIs(backend, schema)), bodies },
  }
}

/** The schema in the form in which a backend would be sent one that it holds. */
function asItIs(backend: Backend, schema: Schema): SentConstraint {
  return sentTo(backend, { jsonSchema: schema } as Constraint)
}

function inText(sent: SentConstraint): { readonly kind: string; readonly text: string } {
  return { kind: sent.kind, text: 'text' in sent ? sent.text : JSON.stringify(sent.schema) }
}

const lastOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1)

/** Wrong bodies that a backend allows, though nothing says so. The whole schema has an empty path. */
export function acceptedWrong({ id, right, wrong, relaxed }: AskedCase, judged: Verdicts | undefined): unknown[] {
  const isReported = (keyword: string): boolean => relaxed.some((path) => path === '' || lastOf(path) === keyword)
  return wrong.flatMap(([keyword, body], nth) =>
    judged?.verdicts[right.length + nth] === true && !isReported(keyword) ? [[id, keyword, body]] : [],
  )
}

interface RefusedBody {
  readonly backend: Backend
  readonly name: string
  readonly body: string
}

/** Right bodies that a backend refuses. */
export function refusedRight(
  { backend, name, right }: AskedCase,
  judged: Verdicts | undefined,
): readonly RefusedBody[] {
  return right.flatMap((body, nth) => (judged?.verdicts[nth] === false ? [{ backend, name, body }] : []))
}

interface JudgedCase {
  readonly one: AskedCase
  readonly native: Verdicts | undefined
}

/** Keywords that are not sent, of which a backend allows all right bodies and no wrong ones in each case as it is. */
export function heldAllTheSame(judged: readonly JudgedCase[]): readonly string[] {
  const held = new Map<string, boolean>()
  for (const { one, native } of judged) {
    if (native === undefined) continue
    for (const keyword of one.leftOut) {
      const wrong = one.wrong.flatMap(([of], nth) => (of === keyword || of === 'text' ? [one.right.length + nth] : []))
      if (!one.wrong.some(([of]) => of === keyword)) continue
      const key = keyword === 'format' ? `${keyword}: ${one.name}` : keyword
      const isHeld =
        native.error === null &&
        one.right.every((_, nth) => native.verdicts[nth]) &&
        wrong.every((at) => !native.verdicts[at])
      held.set(key, (held.get(key) ?? true) && isHeld)
    }
  }
  return Array.from(held, ([keyword, isHeld]) => (isHeld ? [keyword] : [])).flat()
}

function raise(message: string): never {
  throw new Error(message)
}
