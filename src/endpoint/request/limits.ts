import { DECLARING } from '../../core/recipients/conversation-tools.js'
import { check } from '../../shared/errors.js'
import type { OptionTable } from '../../shared/options/check-options.js'
import { wholeNumber } from '../../shared/options/checks.js'
import { arrayTooLong, RequestError, stringTooLong } from '../../shared/request-error.js'
import type { Slices, Work } from '../../shared/slices.js'
import { tooManyNames, tooManyValues } from './json-scan.js'
import { type Path, pathOf } from './path.js'

/** Limits of a request. The HTTP server bounds its bytes, before it parses the JSON. */
export interface RequestLimits {
  /** Items of the conversation, and entries of any array other than `tools`. Default 100,000. */
  readonly items?: number
  /** Entries of `tools`, and of each `additional_tools`. Default 1,000; OpenAI's limit is 128. */
  readonly tools?: number
  /** Nested levels of objects and arrays. Default 100; at most 500, the limit of `translate`. */
  readonly depth?: number
  /** Objects, arrays and their entries, in total. Default 500,000. */
  readonly values?: number
  /** Distinct names of fields, including those in schemas. Default 20,000. */
  readonly names?: number
  /** Characters (UTF-16 code units) of a string or a key. Default 20,971,520, OpenAI's limit for an image. */
  readonly stringLength?: number
}

const DEFAULTS: Required<RequestLimits> = {
  items: 100_000,
  tools: 1_000,
  depth: 100,
  values: 500_000,
  names: 20_000,
  stringLength: 20_971_520,
}
const MAX_DEPTH = 500

/** Entries of `stop`: each is searched for at every character of an answer. OpenAI allows 4, Anthropic states no limit. */
export const MAX_STOPS = 64

export const REQUEST_LIMITS: OptionTable<RequestLimits> = {
  items: wholeNumber(1),
  tools: wholeNumber(1),
  depth: wholeNumber(1, MAX_DEPTH),
  values: wholeNumber(1),
  names: wholeNumber(1),
  stringLength: wholeNumber(1),
}

export function resolveLimits(limits: RequestLimits = {}): Required<RequestLimits> {
  const given = Object.fromEntries(Object.entries(limits).filter(([, limit]) => limit !== undefined))
  return { ...DEFAULTS, ...given }
}

/**
 * Checks that a body is JSON and no larger than allowed, before anything reads it by recursion. Takes time linear in
 * the body, and stops at the first excess.
 *
 * @throws RequestError
 * @throws HarmonyResponsesError `bad_option`: it contains a value that JSON cannot express, such as a promise or a
 * fetch Request
 */
export function* checkSize(body: unknown, limits: Required<RequestLimits>, work: Work): Slices<void> {
  const path: (string | number)[] = []
  const open: Opened[] = []
  const names = new Set<string>()
  let count = 0
  /** Counts the same as the scan of a body's text: brackets and commas. */
  const take = (entries: number): void => {
    count += Math.max(entries, 1)
    if (count > limits.values) throw tooManyValues(limits.values)
  }
  /** Enters a value that contains others. */
  const visit = (value: unknown): boolean => {
    if (typeof value === 'string') checkText(value, path, limits.stringLength)
    checkJson(!NOT_JSON.includes(typeof value), value)
    if (typeof value !== 'object' || value === null) return false
    if (path.length >= limits.depth) throw tooDeep(path, limits.depth)
    if (Array.isArray(value)) {
      const max = declaresTools(path, open.at(-1)?.value) ? limits.tools : limits.items
      if (value.length > max) throw arrayTooLong(pathOf(path), max, value.length)
      take(value.length)
      open.push({ value, names: undefined, next: 0, length: value.length })
    } else {
      checkJson(isPlain(value), value)
      const names = Object.keys(value)
      take(names.length)
      open.push({ value, names, next: 0, length: names.length })
    }
    return true
  }
  visit(body)
  for (let last = open.at(-1); last !== undefined; last = open.at(-1)) {
    if (last.next === last.length) {
      open.pop()
      path.pop()
      continue
    }
    const step = last.names === undefined ? last.next : (last.names[last.next] as string)
    last.next += 1
    const value = (last.value as { readonly [step: string | number]: unknown })[step]
    if (typeof step === 'number') checkJson(value !== undefined, value)
    path.push(step)
    if (typeof step === 'string') {
      names.add(step)
      if (names.size > limits.names) throw tooManyNames(limits.names)
      checkText(step, path, limits.stringLength)
    }
    if (!visit(value)) path.pop()
    if (--work.left <= 0) yield* work.pause()
  }
}

/** An object or array whose entries are being visited. */
interface Opened {
  readonly value: object
  /** Undefined for an array. */
  readonly names: readonly string[] | undefined
  next: number
  readonly length: number
}

/** Whether the list at a path is `tools`, or that of an item that declares tools. @param parent - what has the list */
function declaresTools(path: Path, parent: object | undefined): boolean {
  if (path.at(-1) !== 'tools') return false
  const isItem = path.length === 3 && path[0] === 'input'
  return path.length === 1 || (isItem && DECLARING.has((parent as { readonly type?: unknown }).type))
}

function checkJson(isRight: boolean, value: unknown): void {
  check(isRight, 'body', 'the parsed JSON of a request', value)
}

const NOT_JSON: readonly string[] = ['bigint', 'function', 'symbol']

function checkText(text: string, path: Path, max: number): void {
  if (text.length > max) throw stringTooLong(pathOf(path), max, text.length)
}

function tooDeep(path: Path, levels: number): RequestError {
  const param = pathOf(path)
  const message = `Invalid '${param}': nested too deeply. Expected at most ${levels} levels of objects and arrays.`
  return new RequestError(message, { param, code: 'invalid_value' })
}

/** Whether `JSON.parse` could have made it, in this realm or another. */
function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === null || Object.getPrototypeOf(prototype) === null
}
