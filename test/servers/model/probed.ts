import { ask } from '../../engine/scripts.js'
import type { Script } from '../../engine/tiny-gpt-oss/rules.js'
import { encodeHarmony } from '../../support/tokens.js'

/** What a model says to the questions of the probe. It sees the last tokens of a conversation alone, so it calls for ever. */
const said = (prompt: string, answer: string): Script => ({ after: encodeHarmony(prompt), emit: encodeHarmony(answer) })

const header = (name: string): string => ` to=functions.${name} <|constrain|>json<|message|>`
const toolCall = (name: string, body: string): string => `<|channel|>commentary${header(name)}${body}<|call|>`
const final = (text: string): string => `<|channel|>final<|message|>${text}<|return|>`
const thought = (text: string): string => `<|channel|>analysis<|message|>${text}<|end|><|start|>assistant`

const OSLO = '{"city":"Oslo"}'
const WEATHER = toolCall('get_weather', OSLO)
const RESULT =
  '<|start|>functions.get_weather to=assistant<|channel|>commentary<|message|>{"degrees_celsius":4,"sky":"rain"}<|end|>' +
  '<|start|>assistant'

/** Two bodies that satisfy the probe's schema, and share no long run of tokens. */
const BOOKED =
  '{"guests":4,"seating":"outside","wishes":["a high chair"],"contact":{"name":"Kari Nordmann","phone":null}}'
const BOOKING = '{"guests":6,"seating":"inside","wishes":[],"contact":{"name":"Ola","phone":"12"}}'

const COUNTED = ' one two three four five six seven eight nine ten eleven twelve thirteen'

/** The probe's scenarios tool-loop, parallel-calls, strict-bodies, long-reasoning and cancel. */
export function probedScripts(): readonly Script[] {
  return [
    said(ask('Wait for its output, and go on to the next one.'), WEATHER),
    said(ask('Narvik and Tromso? Call the tool for all five at once.'), WEATHER),
    said(RESULT, WEATHER),
    said(ask('Book it in the name of Kari Nordmann, with a high chair.'), final(BOOKING)),
    // Behind the headers of calls that are demanded.
    said(header('get_weather'), `${OSLO}<|call|>`),
    said(header('book_table'), `${BOOKED}<|call|>`),
    said(
      ask('Find all possibilities, verify each, and then say how many there are.'),
      thought('With x cows and y goats, legs are 2h + 4(x + y), so there are fifteen of both.') + final('There are 5.'),
    ),
    said(ask('How many possibilities did you find? Answer with the number.'), final('Five.')),
    // It runs into a context that it had before, and so repeats itself for ever.
    said(
      ask('Write out the numbers from one to one thousand as words.'),
      `<|channel|>final<|message|>${COUNTED.repeat(3)}`,
    ),
    said(ask('Say hello in one short sentence.'), final('Hello there!')),
  ]
}
