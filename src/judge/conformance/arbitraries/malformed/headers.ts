import { SPECIAL as m } from '../../../../core/harmony/vocabulary.js'
import fc from '../fast-check.js'
import { model, type Part, START } from '../stream-forms.js'
import { prose } from '../text.js'
import {
  call,
  called,
  either,
  finalMessage,
  type HeaderShape,
  type Shapes,
  shape,
  typeForm,
  withType,
  words,
} from './shape.js'

/** Headers with parts that are glued, repeated or misspelled, or with junk between them. */
export const headers: Shapes<HeaderShape> = {
  'channel-glued-to-recipient': shape(
    'any',
    'vllm#31677, vllm#32587, vllm#35906, harmony#97',
    { name: words.name, body: words.json, form: typeForm(), inRole: fc.boolean(), spelled: fc.boolean() },
    ({ name, body, form, inRole, spelled }) => {
      const glued: Part[] = spelled ? ['<|channel|>commentary'] : [m.channel, 'commentary']
      const to = ` to=functions.${name}`
      const header = inRole ? [to, ...glued, m.channel, 'commentary'] : [m.channel, 'commentary', to, ...glued]
      return {
        variant: `recipient in the ${inRole ? 'role' : 'channel'} section`,
        segments: [model(...header, ...withType(form), m.message, body, m.call)],
        ...called(name, body),
        spelled,
      }
    },
  ),
  'repeated-channel': shape(
    'any',
    'harmony#114',
    { name: words.name, body: words.json, form: typeForm(), spelled: fc.boolean() },
    ({ name, body, form, spelled }) => ({
      variant: 'channel twice',
      segments: [
        model(
          ...(spelled ? ['<|channel|>commentary'] : [m.channel, 'commentary']),
          m.channel,
          `commentary to=functions.${name}`,
          ...withType(form),
          m.message,
          body,
          m.call,
        ),
      ],
      ...called(name, body),
      spelled,
    }),
  ),
  'tool-name-as-channel': shape(
    'any',
    'harmony#114',
    { name: words.name, body: words.json, triple: fc.boolean() },
    ({ name, body, triple }) => ({
      variant: triple ? 'tool as the second of three channels' : 'tool as the first of two channels',
      segments: [
        model(
          ...(triple ? [m.channel, 'commentary'] : []),
          m.channel,
          name,
          m.channel,
          'commentary json',
          m.message,
          body,
          m.call,
        ),
      ],
      ...called(name, body),
    }),
  ),
  'conflicting-channels': shape(
    'any',
    'llama.cpp#27720',
    {
      text: words.text,
      first: either('commentary', 'analysis', 'final'),
      second: either('analysis', 'final', 'commentary'),
    },
    ({ text, first, second }) => ({
      variant: 'two channels',
      segments: [model(m.channel, first, m.channel, second, m.message, text, m.end)],
      texts: [text],
    }),
  ),
  'header-without-message': shape(
    'any',
    'llama.cpp#27720',
    { junk: either('?', '', '...', ' ?'), to: either('assistant', 'user') },
    ({ junk, to }) => ({
      variant: 'header without message or text',
      segments: [model(m.channel, `commentary to=${to}`, m.channel, `commentary${junk}`, m.end)],
    }),
  ),
  'end-in-header': shape(
    'any',
    'llama.cpp#27720',
    { junk: either('??', 'commentary 2?', '?', 'analysis ?!', 'commentary ??') },
    ({ junk }) => ({
      variant: 'end in the header',
      segments: [model(m.channel, junk, m.end)],
    }),
  ),
  'free-text-as-channel': shape('any', 'llama.cpp#27720', { text: words.prose }, ({ text }) => ({
    variant: 'free text for a channel',
    segments: [model(m.channel, text, m.end)],
    texts: [text],
  })),
  'free-text-after-channel': shape(
    'any',
    'ogx#4807, harmony#38',
    { lead: words.prose, text: words.text },
    ({ lead, text }) => ({
      variant: 'free text after the channel',
      segments: [model(m.channel, `analysis ${lead}`, m.message, text, m.end)],
      texts: [lead, text],
    }),
  ),
  'junk-after-channel': shape(
    'any',
    'harmony#38',
    {
      junk: either('––commentary', '–– ', '…', 'commentary', '-- commentary', '?!'),
      name: fc.option(words.name, { nil: undefined }),
      body: words.json,
      text: words.text,
    },
    ({ junk, name, body, text }) =>
      name === undefined
        ? {
            variant: 'junk after the channel',
            segments: [model(m.channel, `commentary ${junk}`, m.message, text, m.end)],
            texts: [text],
          }
        : {
            variant: 'junk between channel and recipient',
            segments: [
              model(
                m.channel,
                `commentary ${junk.trimEnd()} to=functions.${name} `,
                m.constrain,
                'json',
                m.message,
                body,
                m.call,
              ),
            ],
            ...called(name, body),
          },
  ),
  'repeated-start': shape(
    'any',
    'exo#1126, tenstorrent/vllm#386',
    { again: either<Part[]>([], [m.start], [m.start, 'assistant']), text: words.text, bare: fc.boolean() },
    ({ again, text, bare }) => ({
      variant: bare ? 'start before start' : 'start after the role',
      bare,
      segments: [model(...(bare && again.length === 0 ? [m.start] : again), ...finalMessage(text), m.return)],
      texts: [text],
    }),
  ),
  'repeated-role': shape(
    'any',
    'tenstorrent/vllm#386',
    { more: fc.integer({ min: 1, max: 3 }), text: words.text },
    ({ more, text }) => ({
      variant: 'role repeated',
      segments: [model('assistant'.repeat(more), m.channel, 'final', m.message, text, m.return)],
      texts: [text],
    }),
  ),
  'empty-channel': shape(
    'any',
    'vllm#43408, sglang#8914',
    { text: words.text, end: either(m.end, m.return) },
    ({ text, end }) => ({
      variant: 'empty channel',
      segments: [model(m.channel, m.message, text, end)],
      texts: [text],
    }),
  ),
  'unknown-channel': shape(
    'any',
    'frontend-crates#236, vllm#42454',
    {
      channel: either('finalx', 'comment', 'analysisfinal', 'summary', 'Final', 'commentry'),
      name: fc.option(words.name, { nil: undefined }),
      body: words.json,
      text: words.text,
    },
    ({ channel, name, body, text }) =>
      name === undefined
        ? {
            variant: 'unknown channel',
            segments: [model(m.channel, channel, m.message, text, m.end)],
            texts: [text],
          }
        : {
            variant: 'unknown channel with recipient',
            segments: [
              model(m.channel, `${channel} to=functions.${name} `, m.constrain, 'json', m.message, body, m.call),
            ],
            ...called(name, body),
          },
  ),
  'content-type-on-final': shape('any', 'harmony#144', { body: words.json, form: typeForm() }, ({ body, form }) => ({
    variant: 'content type on the final channel',
    segments: [model(m.channel, 'final', ...withType(form), m.message, body, m.return)],
    texts: [body],
  })),
  'unknown-content-type': shape(
    'any',
    'harmony#60, harmony#114',
    {
      type: either('response', 'control', 'commentary'),
      gap: either('', ' '),
      name: fc.option(words.name, { nil: undefined }),
      body: words.json,
      text: words.text,
    },
    ({ type, gap, name, body, text }) =>
      name === undefined
        ? {
            variant: 'odd content type',
            segments: [model(m.channel, `commentary${gap}`, m.constrain, type, m.message, text, m.end)],
            texts: [text],
          }
        : {
            variant: 'odd content type with recipient',
            segments: [
              model(m.channel, `commentary to=functions.${name}${gap}`, m.constrain, type, m.message, body, m.call),
            ],
            ...called(name, body),
          },
  ),
  'reasoning-after-constrain': shape(
    'any',
    'tiles#145, harmony#114',
    { lead: either('write: edit file', 'control:'), text: prose(3), body: words.json },
    ({ lead, text, body }) => ({
      variant: 'reasoning after constrain',
      segments: [
        model(m.channel, 'commentary to=functions.write ', m.constrain, `${lead} ${text}`, m.end),
        model(...START, m.channel, 'commentary to=functions.write ', m.constrain, 'json', m.message, body, m.call),
      ],
      texts: [`${lead} ${text}`, body],
      calls: [call('write', body)],
      functions: ['write'],
    }),
  ),
  'tool-after-constrain': shape(
    'any',
    'harmony#47',
    {
      name: words.name,
      body: words.json,
      channel: either('final ', 'commentary ', 'final', 'analysis ', 'commentary to='),
      full: fc.boolean(),
      form: either<readonly Part[]>([], [' json'], [m.constrain, 'json'], [' ', m.constrain, 'json']),
    },
    ({ name, body, channel, full, form }) => ({
      variant: `${channel.endsWith('=') ? 'after to=' : 'alone'}, ${full ? 'full name' : 'bare name'}`,
      segments: [
        model(m.channel, channel, m.constrain, full ? `functions.${name}` : name, ...form, m.message, body, m.call),
      ],
      ...called(name, body),
    }),
  ),
  'glued-role': shape(
    'between',
    'harmony#114',
    { text: prose(4), json: words.json, channel: either('analysis', 'final'), what: either('channel', 'text', 'JSON') },
    ({ text, json, channel, what }) => {
      const said = what === 'JSON' ? `{"answer":${json}}` : `So ${text}`
      const header = what === 'channel' ? [`assistant${channel}`, m.message, said] : [`assistant${said}`]
      return {
        variant: `${what} glued to the role`,
        segments: [model(m.start, ...header, what === 'channel' && channel === 'analysis' ? m.end : m.return)],
        bare: true,
        texts: [said],
      }
    },
  ),
  'space-after-constrain': shape(
    'any',
    'the format guide of harmony, harmony#47',
    { name: words.name, body: words.json },
    ({ name, body }) => ({
      variant: 'space after constrain',
      segments: [model(m.channel, `commentary to=functions.${name} `, m.constrain, ' json', m.message, body, m.call)],
      ...called(name, body),
    }),
  ),
  'repeated-recipient': shape(
    'any',
    'sglang#35299, vllm#51977',
    { name: words.name, body: words.json, form: typeForm() },
    ({ name, body, form }) => ({
      variant: 'recipient twice',
      segments: [
        model(
          m.channel,
          `commentary to=functions.${name} to=functions.${name}`,
          ...withType(form),
          m.message,
          body,
          m.call,
        ),
      ],
      ...called(name, body),
    }),
  ),
  'extra-header-words': shape(
    'any',
    'harmony#114',
    { name: words.name, body: words.json, extra: either('code json', 'json code', 'code json python') },
    ({ name, body, extra }) => ({
      variant: 'extra words',
      segments: [model(m.channel, `commentary to=functions.${name} ${extra}`, m.message, body, m.call)],
      ...called(name, body),
    }),
  ),
  'channel-or-tool-as-role': shape(
    'between',
    'harmony#114, tiles#145',
    {
      role: either('final', 'analysis', 'tool name'),
      name: either('bash', 'geo'),
      body: words.json,
      text: words.text,
    },
    ({ role, name, body, text }) =>
      role === 'tool name'
        ? {
            variant: 'tool for a role',
            bare: true,
            segments: [model(m.start, name, m.channel, 'commentary', m.message, body, m.call)],
            ...called(name, body),
          }
        : {
            variant: 'channel for a role',
            bare: true,
            segments: [model(m.start, role, m.message, text, m.end)],
            texts: [text],
          },
  ),
}
