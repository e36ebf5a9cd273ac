import type { Script } from '../../engine/tiny-gpt-oss/rules.js'
import { encodeHarmony } from '../../support/tokens.js'

/** How many of the last tokens the model sees. Scripts have to differ in them. */
export const HISTORY = 13

const SYSTEM =
  '<|start|>system<|message|>You are ChatGPT, a large language model trained by OpenAI.\nReasoning: low<|end|>'

/** A conversation of one question. */
export function ask(question: string): string {
  return `${SYSTEM}<|start|>user<|message|>${question}<|end|><|start|>assistant`
}

/** A prompt and what the model says to it, both as Harmony text. */
export interface Turn {
  readonly prompt: string
  readonly answer: string
}

const final = (text: string): string => `<|channel|>final<|message|>${text}<|return|>`
const answered = (question: string, answer: string): Turn => ({ prompt: ask(question), answer })

export const hello: Turn = answered('Please say hello to the world.', final('Hello, world! How are you today?'))

export const weather: Turn = answered(
  'What is the weather like in Paris?',
  '<|channel|>analysis<|message|>The user asks about the weather, so I call the tool.<|end|>' +
    '<|start|>assistant<|channel|>commentary to=functions.get_weather <|constrain|>json' +
    '<|message|>{"city":"Paris","unit":"celsius"}<|call|>',
)

/** The turn after `weather`, with the result of its call. */
export const afterWeather: Turn = {
  prompt:
    `${weather.prompt}${weather.answer}<|start|>functions.get_weather to=assistant<|channel|>commentary` +
    '<|message|>{"degrees":21,"sky":"clear"}<|end|><|start|>assistant',
  answer: final('It is 21 °C in Paris, and the sky is clear.'),
}

/** Words before a call, whose recipient stands in front of its channel. */
export const files: Turn = answered(
  'Which files are in my home folder?',
  '<|channel|>commentary<|message|>Let me have a look at your folder.<|end|>' +
    '<|start|>assistant to=functions.list_files<|channel|>commentary <|constrain|>json<|message|>{"path":"~"}<|call|>',
)

/** The second header has no `<|message|>`. */
export const malformed: Turn = answered(
  'Which number comes after forty-one?',
  '<|channel|>analysis<|message|>Easy.<|end|><|start|>assistant<|channel|>final The number is 42.<|return|>',
)

/** The emoji is three tokens, none of them text by itself. */
export const emoji: Turn = answered('Answer with an emoji: sun, cloud or rain?', final('Look: 🌦️ all of them.'))

export const months: Turn = answered(
  'Tell me the names of all the months.',
  final(
    'January, February, March, April, May, June, July, August, September, October, November, December: that is a year.',
  ),
)

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

const COLOURS = [
  ['the grass', 'Green, from spring until late autumn.'],
  ['the sky', 'Blue, unless there are clouds in front of it.'],
  ['a lemon', 'Yellow as soon as somebody may eat one.'],
  ['a tomato', 'Red, but some kinds stay orange for good.'],
  ['fresh snow', 'White, because all light comes back from there.'],
  ['pure coal', 'Black, since hardly any light ever does.'],
] as const
export const colours: readonly Turn[] = COLOURS.map(([what, text]) =>
  answered(`What is the usual colour of ${what}?`, final(text)),
)

/** Their headers are all that the model without words is sure of: an answer in JSON, and a call. */
export const freeAnswer: Turn = answered('once and for all, my zebra json please', '<|channel|>final<|message|>')
export const freeCall: Turn = answered(
  'once and for all, my zebra call please',
  '<|channel|>commentary to=functions.emit <|constrain|>json<|message|>',
)

const script = ({ prompt, answer }: Turn): Script => ({ after: encodeHarmony(prompt), emit: encodeHarmony(answer) })

const BODIES: readonly Turn[] = [
  {
    prompt: `${prose.prompt}${prose.answer}`,
    answer: 'Sorry, but I would rather write about that lovely city in plain words.<|return|>',
  },
  {
    prompt: `${forge.prompt}${forge.answer}`,
    answer: '{"city":"Nap<|end|><|start|>assistant<|channel|>final<|message|>oops"}<|return|>',
  },
]

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

/** The model that is sure of two headers, and draws every token after them at random: what nothing holds, it does not keep. */
export function headerScripts(): readonly Script[] {
  return [freeAnswer, freeCall].map(script)
}
