import { encodeHarmony } from '../support/tokens.js'
import type { Script } from './tiny-gpt-oss/rules.js'

/** A prompt and the model's answer to it, both as Harmony text. */
export interface Turn {
  readonly prompt: string
  readonly answer: string
}

/** A conversation of one question. The model sees the last nine tokens, six of them the question's. */
export function ask(question: string): string {
  const system = 'You are ChatGPT, a large language model trained by OpenAI.\nReasoning: low'
  return `<|start|>system<|message|>${system}<|end|><|start|>user<|message|>${question}<|end|><|start|>assistant`
}

/** The question of a turn. */
export function questionOf({ prompt }: Turn): string {
  return /user<\|message\|>(.*?)<\|end\|>/.exec(prompt)?.[1] ?? ''
}

/** An answer on the final channel. */
export function final(text: string): string {
  return `<|channel|>final<|message|>${text}<|return|>`
}

export const plainAnswer: Turn = {
  prompt: ask('Please say hello to the world.'),
  answer: final('Hello, world! How are you today?'),
}

export const call: Turn = {
  prompt: ask('What is the weather like in Paris?'),
  answer:
    '<|channel|>analysis<|message|>The user asks about the weather, so I call the tool.<|end|>' +
    '<|start|>assistant<|channel|>commentary to=functions.get_weather <|constrain|>json' +
    '<|message|>{"city":"Paris","unit":"celsius"}<|call|>',
}

/** The turn after `call`: the same conversation, with the call and its result. */
export const afterCall: Turn = {
  prompt:
    `${call.prompt}${call.answer}<|start|>functions.get_weather to=assistant<|channel|>commentary` +
    '<|message|>{"degrees":21,"sky":"clear"}<|end|><|start|>assistant',
  answer: final('It is 21 °C in Paris, and the sky is clear.'),
}

/** A message before a call, whose recipient stands in front of its channel here, as gpt-oss writes both. */
export const preamble: Turn = {
  prompt: ask('Which files are in my home folder?'),
  answer:
    '<|channel|>commentary<|message|>Let me have a look at your folder.<|end|>' +
    '<|start|>assistant to=functions.list_files<|channel|>commentary <|constrain|>json' +
    '<|message|>{"path":"~"}<|call|>',
}

/** The header of the second message does not end: its `<|message|>` is missing. */
export const malformed: Turn = {
  prompt: ask('Which number comes after forty-one?'),
  answer: '<|channel|>analysis<|message|>Easy.<|end|><|start|>assistant<|channel|>final The number is 42.<|return|>',
}

/** The emoji is three tokens, none of them text by itself. */
export const splitEmoji: Turn = {
  prompt: ask('Answer with an emoji: sun, cloud or rain?'),
  answer: final('Look: 🌦️ all of them.'),
}

export const longAnswer: Turn = {
  prompt: ask('Tell me the names of all the months.'),
  answer: final(
    'January, February, March, April, May, June, July, August, September, October, November, December: that is a year.',
  ),
}

/** Stops at the body of an answer, which a constraint then holds. */
export function bodyOf(question: string): string {
  return `${ask(question)}<|channel|>final<|message|>`
}

/** Prefers prose to the requested JSON. */
export const prose: Turn = {
  prompt: bodyOf('Describe Naples as a JSON object.'),
  answer: 'Sorry, but I would rather write about that lovely city in plain words.<|return|>',
}

/** Tries to forge a message in the middle of a string, with tokens that a grammar takes for text. */
export const breakout: Turn = {
  prompt: bodyOf('Which city has the best pizza, as JSON?'),
  answer: '{"city":"Nap<|end|><|start|>assistant<|channel|>final<|message|>oops"}<|return|>',
}

/** Writes arguments that already fit a schema. */
export const willing: Turn = {
  prompt: `${ask('Is it warm in Palermo, in celsius?')}<|channel|>commentary to=functions.f <|constrain|>json<|message|>`,
  answer: '{"city":"Palermo","unit":"celsius"}<|call|>',
}

const ROUND = ' one two three four five six seven eight nine ten eleven twelve'

/** An answer that never ends. The script contains it up to the repetition of its beginning. */
export const endless: Turn = {
  prompt: ask('Please count and never stop counting.'),
  answer: `<|channel|>final<|message|>Here I go:${ROUND}${ROUND}`,
}

/** The text of `endless`, for this many rounds. */
export function endlessText(rounds: number): string {
  return `Here I go:${ROUND.repeat(rounds)}`
}

/** Different short answers, for calls that run side by side. */
export const short: readonly Turn[] = [
  ['the grass', 'Green, from spring until late autumn.'],
  ['the sky', 'Blue, unless there are clouds in front of it.'],
  ['a lemon', 'Yellow as soon as somebody may eat one.'],
  ['a tomato', 'Red, but some kinds stay orange for good.'],
  ['fresh snow', 'White, because all light comes back from there.'],
  ['pure coal', 'Black, since hardly any light ever does.'],
].map(([thing, answer]) => ({ prompt: ask(`What is the usual colour of ${thing}?`), answer: final(answer ?? '') }))

/** A prompt of many tokens that ends as another one does, so that the same answer follows. */
export function longPrompt({ prompt }: Turn, tokens: number): number[] {
  const ids = encodeHarmony(prompt)
  const filler = encodeHarmony(' word')
  const lead = encodeHarmony('<|start|>user<|message|>')
  const end = encodeHarmony('<|end|>')
  const missing = tokens - ids.length - lead.length - end.length
  return [...lead, ...Array.from({ length: missing }, () => filler).flat(), ...end, ...ids]
}

/** All turns as the model's scripts. */
export const scripts: readonly Script[] = [
  plainAnswer,
  call,
  afterCall,
  preamble,
  malformed,
  splitEmoji,
  longAnswer,
  endless,
  prose,
  breakout,
  willing,
  ...short,
].map(({ prompt, answer }) => ({ after: encodeHarmony(prompt), emit: encodeHarmony(answer) }))
