import { SPECIAL as m } from '../../../../core/harmony/vocabulary.js'
import fc from '../fast-check.js'
import { host, model, type Part, START } from '../stream-forms.js'
import { harmonyTextSpellingMarkers, prose } from '../text.js'
import { type CutShape, call, called, either, type Shapes, type Stretch, shape, words } from './shape.js'

/** Streams that are cut, tokenized or filled in odd ways. */
export const cuts: Shapes<CutShape> = {
  'cut-in-header': shape('any', 'vllm#45736', { name: words.name, at: fc.nat({ max: 9 }) }, ({ name, at }) => {
    const header: Part[] = [m.channel, 'comment', 'ary', ' to=', 'functions.', name, ' ', m.constrain, 'json']
    return {
      variant: 'cut in the header',
      segments: [model(...header.slice(0, at))],
      functions: [name],
      last: 'open',
    }
  }),
  'stripped-markers': shape(
    'first',
    'macprovider#743, Rapid-MLX#444, Rapid-MLX#480',
    {
      thought: prose(4),
      answer: prose(2),
      name: fc.option(words.name, { nil: undefined }),
      body: words.json,
      returned: fc.boolean(),
    },
    ({ thought, answer, name, body, returned }) => {
      const rest =
        name === undefined ? `assistantfinal${answer}` : `assistantcommentary to=functions.${name} json${body}`
      const text = `analysis${thought}${rest}`
      return {
        variant: 'markers stripped',
        segments: [model(text, ...(returned ? [m.return] : []))],
        texts: [text],
        ...(name === undefined ? {} : { functions: [name] }),
        last: returned ? 'closed' : 'open',
      }
    },
  ),
  'split-header-words': shape(
    'any',
    'Rapid-MLX#515',
    { odd: fc.boolean(), text: words.text, body: words.json },
    ({ odd, text, body }) => {
      const split = (...pieces: string[]): Part => (odd ? { split: pieces } : pieces.join(''))
      return {
        variant: odd ? 'header words in odd tokens' : 'commentary in two tokens',
        segments: [
          model(m.channel, split('comment', 'ary'), m.message, text, m.end),
          model(...START, m.channel, split('an', 'aly', 'sis'), m.message, text, m.end),
          model(
            m.start,
            split('ass', 'istant'),
            split(' ', 't', 'o', '=', 'func', 'tions', '.g', 'eo'),
            m.channel,
            split('comm', 'entary'),
            m.constrain,
            split('j', 'son'),
            m.message,
            body,
            m.call,
          ),
        ],
        texts: [text, text, body],
        calls: [call('geo', body)],
        functions: ['geo'],
      }
    },
  ),
  'text-cut-in-markers': shape(
    'any',
    'dynamo#3074, dynamo#9897',
    { text: words.text, body: words.json, cuts: fc.array(fc.integer({ min: 1, max: 5 }), { maxLength: 40 }) },
    ({ text, body, cuts }) => ({
      variant: 'text cut in markers and header words',
      segments: [
        model(m.channel, 'analysis', m.message, text, m.end),
        model(...START, m.channel, 'commentary to=functions.geo ', m.constrain, 'json', m.message, body, m.call),
      ],
      texts: [text, body],
      calls: [call('geo', body)],
      functions: ['geo'],
      textCuts: cuts,
    }),
  ),
  'endless-channel': shape(
    'any',
    'trtllm#8615, trtllm#16377',
    { count: fc.oneof(fc.integer({ min: 4, max: 40 }), fc.integer({ min: 240, max: 700 })) },
    ({ count }) => ({
      variant: 'endless channel',
      segments: [model(m.channel, { split: Array.from({ length: count }, () => '!') })],
      last: 'open',
    }),
  ),
  'markers-in-tool-result': shape(
    'any',
    'OWASP AISVS#930, llama.cpp#17627',
    { body: words.json, data: harmonyTextSpellingMarkers(), text: words.text },
    ({ body, data, text }) => ({
      variant: 'markers spelled in a tool result',
      segments: [
        model(m.channel, 'commentary to=functions.geo ', m.constrain, 'json', m.message, body, m.call),
        host(m.start, 'functions.geo to=assistant', m.channel, 'commentary', m.message, data, m.end, ...START),
        model(m.channel, 'final', m.message, text, m.return),
      ],
      texts: [body, text],
      calls: [call('geo', body)],
      functions: ['geo'],
      spelled: true,
    }),
  ),
  'unknown-token-id': shape(
    'any',
    'fuzzing of the official parser',
    {
      id: either(201088, 201089, 250000, 4_000_000_000),
      place: either('content', 'header', 'between', 'end of text'),
      before: words.text,
      after: words.text,
    },
    ({ id, place, before, after }): Stretch => {
      const open: Part[] = [m.channel, 'final', m.message, before]
      const texts = [before, after]
      const variant = place === 'end of text' ? 'endoftext in content' : `unknown id in ${place}`
      if (place === 'end of text') {
        return { variant, segments: [model(...open, m.endoftext)], texts: [before], last: 'closed' }
      }
      if (place === 'content') return { variant, segments: [model(...open, id, after, m.return)], texts }
      const final: Part[] = [m.channel, 'final', m.message, after, m.return]
      if (place === 'header')
        return { variant, segments: [model(m.channel, id, 'final', ...final.slice(2))], texts: [after] }
      return { variant, segments: [model(...open, m.end), model(id), model(...START, ...final)], texts }
    },
  ),
  'garbled-header': shape(
    'any',
    'lmstudio#1555, vllm#44012',
    { shape: either('end', 'final', 'call'), name: words.name, body: words.json },
    ({ shape, name, body }): Stretch => {
      if (shape === 'end') return { variant: 'garbled header', segments: [model(m.channel, 'commentary??', m.end)] }
      if (shape === 'final') {
        return {
          variant: 'garbled message marker',
          segments: [model(m.channel, `final? ${body}`, m.return)],
          texts: [body],
        }
      }
      return {
        variant: 'garbled word before the recipient',
        segments: [
          model(m.channel, `commentary ? to=functions.${name} `, m.constrain, 'json', m.message, body, m.call),
        ],
        ...called(name, body),
      }
    },
  ),
}
