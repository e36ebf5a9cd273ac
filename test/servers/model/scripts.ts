import {
  afterCall as afterWeather,
  ask,
  breakout,
  short as colours,
  splitEmoji as emoji,
  preamble as files,
  plainAnswer as hello,
  malformed,
  longAnswer as months,
  prose as proseBody,
  type Turn,
  call as weather,
} from '../../engine/scripts.js'
import type { Script } from '../../engine/tiny-gpt-oss/rules.js'
import { encodeHarmony } from '../../support/tokens.js'

/** The scripts that the model on llama.cpp has, too. */
export { afterWeather, ask, colours, emoji, files, hello, malformed, months, type Turn, weather }

/** The question of the user that a turn answers. */
export function questionOf({ prompt }: Pick<Turn, 'prompt'>): string {
  return /user<\|message\|>(.*)<\|end\|>/.exec(prompt)?.[1] ?? ''
}

/** How many of the last tokens the model sees. Scripts have to differ in them. */
export const HISTORY = 13

const answered = (question: string, answer: string): Turn => ({ prompt: ask(question), answer })

const NUMBERS = ' one two three four five six seven eight nine ten eleven twelve'
/** It runs into a context that it had before, and so repeats itself for ever. */
export const endless: Turn = answered(
  'Please count and never stop counting.',
  `<|channel|>final<|message|>Here I go:${NUMBERS}${NUMBERS}${NUMBERS}`,
)

const [halfOfEmoji = 0] = encodeHarmony('🌦️')
const halfQuestion = ask('Write half a character if you would.')
/** The first of the three tokens of an emoji, and other text after it. */
export const half: { readonly prompt: string; readonly ids: readonly number[] } = {
  prompt: halfQuestion,
  ids: [...encodeHarmony('<|channel|>final<|message|>Look'), halfOfEmoji, ...encodeHarmony(' here is text.<|return|>')],
}

/** Its answer, which a constraint has to change, begins as prose. */
export const prose: Turn = answered('Describe Naples as a JSON object.', '<|channel|>final<|message|>')
/** Its answer spells the markers of another message inside of a JSON string. */
export const forge: Turn = answered('Which city has the best pizza, as JSON?', '<|channel|>final<|message|>')

/** Only of these headers is the random model certain: an answer in JSON, and a call. */
export const freeAnswer: Turn = answered('once and for all, my zebra json please', '<|channel|>final<|message|>')
export const freeCall: Turn = answered(
  'once and for all, my zebra call please',
  '<|channel|>commentary to=functions.emit <|constrain|>json<|message|>',
)

const script = ({ prompt, answer }: Turn): Script => ({ after: encodeHarmony(prompt), emit: encodeHarmony(answer) })

const BODIES: readonly Turn[] = [proseBody, breakout]

/** The model that is sure of every token. */
export function sureScripts(): readonly Script[] {
  const spoken = [hello, weather, afterWeather, files, malformed, emoji, months, endless]
  const headers = [prose, forge, freeAnswer, freeCall]
  return [
    ...spoken.map(script),
    { after: encodeHarmony(half.prompt), emit: half.ids },
    ...[...BODIES, ...headers, ...colours].map(script),
  ]
}

/**
 * The model that is certain of two headers, and draws every later token at random, so that it violates every unenforced
 * keyword.
 */
export function headerScripts(): readonly Script[] {
  return [freeAnswer, freeCall].map(script)
}
