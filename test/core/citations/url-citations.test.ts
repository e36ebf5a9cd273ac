import { HtmlRenderer, Parser } from 'commonmark'
import fc from 'fast-check'
import { describe, expect, test, vi } from 'vitest'
import type { CitationState } from '../../../src/core/citations/citation-stage.js'
import { type UrlCitationsOptions, urlCitations } from '../../../src/core/citations/index.js'
import type { Citation, Logprob, OutputText, UrlCitation } from '../../../src/core/responses/items.js'
import type { TranslatorSnapshot } from '../../../src/core/translate/translator-snapshot.js'
import { loadTokenTable, type ResponseRequest, type ResponseStreamEvent, type ScoredToken } from '../../../src/index.js'
import { codePoint } from '../../../src/judge/conformance/arbitraries/code-point.js'
import { withoutDeltaBorders } from '../../laws/streams.js'
import { runs, sized } from '../../support/runs.js'
import { cut, encodeHarmony, encodeText, tokenBytes } from '../../support/tokens.js'
import { Translator } from '../../support/translator.js'
import { builtin, fn } from '../recipients/tools.js'
import {
  brief,
  briefOutput,
  callTo,
  createRun,
  FIXED,
  inTurn,
  messageOn,
  type Run,
  terminal,
} from '../translate/run.js'

const tokenTable = await loadTokenTable()

type Page = { url: string; title?: string }
const PAGES: ReadonlyMap<number, Page> = new Map([
  [4, { url: 'https://example.com/a', title: 'A page' }],
  [5, { url: 'https://www.example.org/b?c=1&d=2' }],
  [6, { url: 'https://user@例え.jp:8080/wiki/Foo_(bar) <baz>', title: '🫠' }],
])
const resolve: UrlCitationsOptions['resolve'] = (cursor) => PAGES.get(cursor)
const citations = urlCitations({ resolve })

/** The replacements of these pages' marks, without the space before. */
const LINKS: ReadonlyMap<number, string> = new Map([
  [4, '([example.com](https://example.com/a))'],
  [5, '([example.org](https://www.example.org/b?c=1&d=2))'],
  [6, '([xn--r8jz45g.jp:8080](https://user@xn--r8jz45g.jp:8080/wiki/Foo_%28bar%29%20%3Cbaz%3E))'],
])
const LINK = LINKS.get(4) as string
/** The addresses of their annotations. */
const URLS: ReadonlyMap<number, string> = new Map([
  [4, 'https://example.com/a'],
  [5, 'https://www.example.org/b?c=1&d=2'],
  [6, 'https://user@xn--r8jz45g.jp:8080/wiki/Foo_%28bar%29%20%3Cbaz%3E'],
])
const TITLES: ReadonlyMap<number, string> = new Map([
  [4, 'A page'],
  [5, 'example.org'],
  [6, '🫠'],
])

/** A run in the text of an answer. */
function answering(options: Parameters<typeof createRun>[0] = {}): Run {
  const run = createRun({ citations, ...options })
  run.start()
  run.push(messageOn('final'))
  return run
}

/** The one text part of the only message. */
function partOf(run: Run): OutputText {
  const [item] = run.translator.response.output
  const part = item?.type === 'message' ? item.content[0] : undefined
  if (part === undefined) throw new Error('no message')
  return part
}

/** The result of a complete answer. */
function answerOf(text: string, options: Parameters<typeof createRun>[0] = {}): OutputText {
  const run = answering(options)
  run.push(text, '<|return|>')
  run.end()
  return partOf(run)
}

/** The length of the last item's text so far. */
function stateOf(translator: Translator): CitationState {
  const item = translator.snapshot().output.items.at(-1)
  if (item?.type !== 'message' || item.citing === null) throw new Error('no message that is read for citations')
  return item.citing
}

/** A piece of a model's text: as it is, or a mark of a page that is known. */
type Piece = { readonly from: number; readonly until: number; readonly cursor: number | null }

/** A second implementation of the rule: takes the text between brackets, and splits it at daggers. */
function piecesOf(text: string): Piece[] {
  const pieces: Piece[] = []
  let from = 0
  for (const { 0: mark, 1: inside = '', index } of text.matchAll(/【([^【】]*)】/g)) {
    const [cursor = '', ...parts] = inside.split('†')
    const isBounded = parts.every((part) => part.length >= 1 && part.length <= 64 && !part.includes('\n'))
    const isMark = /^[0-9]{1,9}$/.test(cursor) && (parts.length === 1 || parts.length === 2) && isBounded
    if (!isMark || !PAGES.has(Number(cursor))) continue
    if (index > from) pieces.push({ from, until: index, cursor: null })
    from = index + mark.length
    pieces.push({ from: index, until: from, cursor: Number(cursor) })
  }
  if (from < text.length) pieces.push({ from, until: text.length, cursor: null })
  return pieces
}

/** The expected text and annotations of a model's text. */
function expectedOf(text: string): { text: string; annotations: UrlCitation[] } {
  let shown = ''
  const annotations: UrlCitation[] = []
  for (const { from, until, cursor } of piecesOf(text)) {
    if (cursor === null) {
      shown += text.slice(from, until)
      continue
    }
    shown += ' '
    const start_index = [...shown].length
    shown += LINKS.get(cursor) as string
    annotations.push({
      type: 'url_citation',
      url: URLS.get(cursor) as string,
      title: TITLES.get(cursor) as string,
      start_index,
      end_index: [...shown].length,
    })
  }
  return { text: shown, annotations }
}

const urls = (annotations: readonly Citation[]): UrlCitation[] =>
  annotations.filter((annotation) => annotation.type === 'url_citation')

/** Expects a message's deltas to be its text cut at the annotations, each right after the delta that completes it. */
function expectGrammar(
  events: readonly ResponseStreamEvent[],
  { text, annotations }: ReturnType<typeof expectedOf>,
): void {
  let deltas = ''
  let count = 0
  for (const event of events) {
    if (event.type === 'response.output_text.delta') deltas += event.delta
    if (event.type !== 'response.output_text.annotation.added') continue
    expect(event.annotation_index).toBe(count)
    expect(event.annotation).toEqual(annotations[count++])
    expect([...deltas]).toHaveLength(urls([event.annotation])[0]?.end_index as number)
  }
  expect(deltas).toBe(text)
  expect(count).toBe(annotations.length)
}

const MARKS = ['【4†L5-L7】', '【5†L1】', '【6†source】', '【4†L1†example.com】', '【004†L1】', '【5†🫠】']
const NEAR = [
  '【99†L1】',
  '【4】',
  '【4†】',
  '【4†L1†】',
  '【4†L1†a†b】',
  '【†L1】',
  '【4†L\n1】',
  '【x†L1】',
  '【4 †L1】',
  '[4†L1]',
  '【4†L1',
]
const CHARS = [
  '【',
  '】',
  '†',
  '4',
  '12',
  '1234567890',
  'L5',
  '-',
  ' ',
  '\n',
  'a',
  'word ',
  '.',
  '🫠',
  '見',
  'é',
  '🇩🇪',
  '】【',
  '】\n\n',
  '】。',
]
const LONG = [63, 64, 65, 66].flatMap((length) => [
  `【4†${'x'.repeat(length)}】`,
  `【4†L1†${'y'.repeat(length)}`,
  'z'.repeat(length),
])

const someText = fc
  .array(
    fc.oneof(
      { weight: 4, arbitrary: fc.constantFrom(...MARKS) },
      { weight: 3, arbitrary: fc.constantFrom(...NEAR) },
      { weight: 5, arbitrary: fc.constantFrom(...CHARS) },
      { weight: 1, arbitrary: fc.constantFrom(...LONG) },
      { weight: 1, arbitrary: fc.string({ unit: 'grapheme', maxLength: 8 }).filter((text) => !/[<|]/.test(text)) },
    ),
    { maxLength: 12 },
  )
  .map((parts) => parts.join(''))

const someSizes = fc.array(fc.integer({ min: 1, max: 9 }), { maxLength: 40 })

describe('the events of a citation', () => {
  test('the events of a citation come in order and whole: the link instead of the mark, then the annotation', () => {
    const OF_PART = { item_id: 'msg_0', output_index: 0, content_index: 0 }
    const run = createRun({ citations })
    run.start()
    run.push(messageOn('final'))
    const annotation = {
      type: 'url_citation',
      url: 'https://example.com/a',
      title: 'A page',
      start_index: 9,
      end_index: 9 + LINK.length,
    }
    expect(run.push('It works', '【4†L5-', 'L7】', '.')).toEqual([
      { type: 'response.output_text.delta', sequence_number: 4, ...OF_PART, delta: 'It works', logprobs: [] },
      { type: 'response.output_text.delta', sequence_number: 5, ...OF_PART, delta: ` ${LINK}`, logprobs: [] },
      {
        type: 'response.output_text.annotation.added',
        sequence_number: 6,
        ...OF_PART,
        annotation_index: 0,
        annotation,
      },
      { type: 'response.output_text.delta', sequence_number: 7, ...OF_PART, delta: '.', logprobs: [] },
    ])
    const text = 'It works ([example.com](https://example.com/a)).'
    const part = { type: 'output_text', text, annotations: [annotation], logprobs: [] }
    const item = {
      type: 'message',
      id: 'msg_0',
      status: 'completed',
      role: 'assistant',
      phase: 'final_answer',
      content: [part],
    }
    expect(run.push('<|return|>')).toEqual([
      { type: 'response.output_text.done', sequence_number: 8, ...OF_PART, text, logprobs: [] },
      { type: 'response.content_part.done', sequence_number: 9, ...OF_PART, part },
      { type: 'response.output_item.done', sequence_number: 10, output_index: 0, item },
    ])
    expect(terminal(run.end()).output).toEqual([item])
    expect(run.diagnostics).toEqual([])
  })

  test('several marks in one push are one delta up to each annotation', () => {
    const run = answering()
    expect(brief(run.push('a【4†L1】b【5†L1】【4†L2】 c'))).toEqual([
      `output_text.delta 0 "a ${LINK}"`,
      'output_text.annotation.added 0',
      `output_text.delta 0 "b ${LINKS.get(5)}"`,
      'output_text.annotation.added 0',
      `output_text.delta 0 " ${LINK}"`,
      'output_text.annotation.added 0',
      'output_text.delta 0 " c"',
    ])
    expect(run.events.flatMap((event) => ('annotation_index' in event ? [event.annotation_index] : []))).toEqual([
      0, 1, 2,
    ])
  })

  test('the events of a citation count the annotations of each message on their own', () => {
    const run = createRun({ citations })
    run.push(inTurn(messageOn('commentary', 'a【4†L1】<|end|>'), messageOn('final', '【4†L1】b<|return|>')))
    const starts = run.events.flatMap((event) =>
      event.type === 'response.output_text.annotation.added'
        ? [[event.output_index, event.annotation_index, urls([event.annotation])[0]?.start_index]]
        : [],
    )
    expect(starts).toEqual([
      [0, 0, 2],
      [1, 0, 1],
    ])
  })

  test('the events of a citation hold back what may become a mark, and nothing else', () => {
    const run = answering()
    expect(brief(run.push('a【'))).toEqual(['output_text.delta 0 "a"'])
    expect(run.push('4', '†', 'L', '5')).toEqual([])
    expect(brief(run.push('】'))).toEqual([`output_text.delta 0 " ${LINK}"`, 'output_text.annotation.added 0'])
    expect(brief(run.push('b', '【', 'c'))).toEqual(['output_text.delta 0 "b"', 'output_text.delta 0 "【c"'])
  })

  test('the events of a citation are detached: changes by the receiver do not affect later ones', () => {
    const translator = new Translator({ ...FIXED, citations })
    translator.push(messageOn('final'))
    const added = translator.push('【4†L1】').at(-1)
    if (added?.type !== 'response.output_text.annotation.added') throw new Error('no annotation')
    Object.assign(added.annotation, { url: 'mine' })
    const closing = translator.push('<|return|>')
    const part = closing[1]?.type === 'response.content_part.done' ? closing[1].part : undefined
    expect(part).toMatchObject({ annotations: [{ url: 'https://example.com/a' }] })
    if (part?.type === 'output_text') part.annotations.length = 0
    expect(terminal(translator.end()).output).toMatchObject([
      { content: [{ annotations: [{ url: 'https://example.com/a' }] }] },
    ])
  })
})

describe('the link', () => {
  test.each<[string, Page, string, string]>([
    ['the domain', { url: 'https://example.com/a' }, '([example.com](https://example.com/a))', 'example.com'],
    ['the title of the page', { url: 'https://e.com/', title: 'A title' }, '([e.com](https://e.com/))', 'A title'],
    ['the domain for an empty title', { url: 'https://e.com/', title: '' }, '([e.com](https://e.com/))', 'e.com'],
    ['no www.', { url: 'https://www.e.com/' }, '([e.com](https://www.e.com/))', 'e.com'],
    ['other subdomains', { url: 'https://www2.e.com/' }, '([www2.e.com](https://www2.e.com/))', 'www2.e.com'],
    ['the port', { url: 'http://localhost:8080/x' }, '([localhost:8080](http://localhost:8080/x))', 'localhost:8080'],
    ['no user', { url: 'https://me:pw@e.com/' }, '([e.com](https://me:pw@e.com/))', 'e.com'],
    ['no query', { url: 'https://e.com?q=a/b' }, '([e.com](https://e.com/?q=a/b))', 'e.com'],
    ['no fragment', { url: 'https://e.com#a' }, '([e.com](https://e.com/#a))', 'e.com'],
    ['what is escaped already', { url: 'https://e.com/a%20b' }, '([e.com](https://e.com/a%20b))', 'e.com'],
    ['parameters as they are', { url: 'https://e.com/a;b?c&d;' }, '([e.com](https://e.com/a;b?c&d%3B))', 'e.com'],
    ['an address of numbers', { url: 'http://[::1]:80/' }, '([\\[::1\\]](http://[::1]/))', '[::1]'],
    [
      'a domain in ASCII',
      { url: 'https://例え.jp/é' },
      '([xn--r8jz45g.jp](https://xn--r8jz45g.jp/%C3%A9))',
      'xn--r8jz45g.jp',
    ],
    ['parentheses that cannot end it', { url: 'https://e.com/a_(b)' }, '([e.com](https://e.com/a_%28b%29))', 'e.com'],
    [
      'a domain that is no emphasis',
      { url: 'https://_a_.e.com/' },
      '([\\_a\\_.e.com](https://_a_.e.com/))',
      '_a_.e.com',
    ],
  ])('the link says %s', (_, page, link, title) => {
    const { text, annotations } = answerOf('x【4†L1】y', { citations: urlCitations({ resolve: () => page }) })
    expect(text).toBe(`x ${link}y`)
    expect(annotations).toEqual([
      { type: 'url_citation', url: page.url, title, start_index: 2, end_index: 2 + link.length },
    ])
  })

  test.each([
    ['white space', 'https://e.com/a_(b) <c>\td', 'https://e.com/a_%28b%29%20%3Cc%3Ed', 'e.com'],
    ['a backslash', 'https://evil.com\\@e.com/', 'https://evil.com/@e.com/', 'evil.com'],
    ['a line break', 'https://e.com/\n](x', 'https://e.com/]%28x', 'e.com'],
    ['text that turns around', 'https://e.com/\u202ea', 'https://e.com/%E2%80%AEa', 'e.com'],
    ['no slashes', 'https:e.com', 'https://e.com/', 'e.com'],
    ['white space around it', ' https://e.com/ ', 'https://e.com/', 'e.com'],
  ])(
    'the link and the annotation lead where a browser goes, whatever it makes of an address with %s',
    (_, url, href, domain) => {
      const { text, annotations } = answerOf('x【4†L1】', { citations: urlCitations({ resolve: () => ({ url }) }) })
      expect(text).toBe(`x ([${domain}](${href}))`)
      expect(annotations).toMatchObject([{ url: href, title: domain }])
    },
  )

  test.each([
    'javascript:alert(1)',
    'java\nscript:alert(1)',
    'JavaScript://e.com/%0Aalert(1)',
    'data:text/html,<script>alert(1)</script>',
    'vbscript:x',
    'file:///etc/passwd',
    'view-source:https://e.com/',
    'ftp://e.com/',
    'mailto:a@e.com',
    'notes',
    '/notes',
    '//e.com/',
    '',
    'https://',
    'https://e.com:port/',
    'https://a b.com/',
    'https://evil.example](javascript:alert(1))[x/y',
    'https://`/',
    'https://a`b.com/',
    'https://a%60b.com/',
    'https://(e).com/',
    "https://e'e.com/",
    'https://e,e.com/',
    'https://$e$.com/',
    'https://e!.com/',
    'https://e~e.com/',
  ])('there is no link, and the mark stays, if the page is at %j', (url) => {
    const resolved = answerOf('x【4†L1】y', { citations: urlCitations({ resolve: () => ({ url, title: 'A page' }) }) })
    expect(resolved).toMatchObject({ text: 'x【4†L1】y', annotations: [] })
    const run = createRun({ request: { tools: [builtin('web_search')] }, citations: urlCitations() })
    run.push(callTo('browser.search', '{"query":"q"}<|call|>'))
    run.toolResult({ itemId: 'ws_0', pages: [{ cursor: 4, url }] })
    run.push(`<|start|>assistant${messageOn('final', 'x【4†L1】y<|return|>')}`)
    expect(run.translator.response.output.at(-1)).toMatchObject({ content: [{ text: 'x【4†L1】y', annotations: [] }] })
  })
})

describe('a page that writes its address against us', () => {
  const HOSTILE = [
    '](javascript:alert(1))[x/y',
    '[x](javascript:alert(1))',
    '![x](http://b.org/)',
    '<script>alert(1)</script>',
    '<http://b.org>',
    '<!--',
    '-->',
    '"onclick="alert(1)',
    '&lt;b&gt;',
    '&#41;',
    '&#x5d;',
    '&copy;',
    '\\',
    '\\)',
    '\n\n# x\n\n',
    '\n\n    x',
    '\r',
    '\t',
    '\0',
    ' "title"',
    '\u202e',
    '\u2028',
    '\ud800',
    '%29',
    '%0A',
    '【4†L1】',
    'http://b.org/',
    'e.com',
    '例え.jp',
    ...'()[]<>{}*_~`$|!"\'&;:@#?/.,=+^%- ab',
  ]
  const hostile = (start: readonly string[]): fc.Arbitrary<string> =>
    fc
      .tuple(
        fc.constantFrom(...start),
        fc.array(fc.oneof(fc.constantFrom(...HOSTILE), fc.string({ unit: codePoint, maxLength: 4 })), { maxLength: 8 }),
      )
      .map(([first, rest]) => first + rest.join(''))
  const anyUrl = fc.oneof(
    { weight: 3, arbitrary: hostile(['https://e.com/', 'http://e.com/?', 'https://e.com/#', 'HTTPS:\\\\e.com\\']) },
    { weight: 2, arbitrary: hostile(['https://', 'http://www.', 'https://u:p@', 'https:', ' https://e']) },
    { weight: 1, arbitrary: hostile(['', 'javascript:', 'data:', 'java\nscript:', 'view-source:https://e.com/']) },
  )
  const anyTitle = fc.option(hostile(['', 'A page']), { nil: undefined })

  /** Markdown as others read it: its elements, and their content. */
  function rendered(markdown: string): { tags: string[]; text: string } {
    const html = new HtmlRenderer().render(new Parser().parse(markdown))
    return { tags: html.match(/<[^>]*>/g) ?? [], text: unescaped(html.replace(/<[^>]*>/g, '')) }
  }
  const unescaped = (html: string): string =>
    html.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&quot;', '"').replaceAll('&amp;', '&')

  /** The address that a browser opens, in a normal form: percent-encoding makes no difference. */
  const spelled = (url: string): string =>
    new URL(url).href.replace(
      /[^\w.~:/?#@!%-]|%(?![\da-f]{2})/gi,
      (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
    )

  /** Undefined also for a host that is valid in a URL but cannot exist. */
  const webAddressOf = (url: string): string | undefined => {
    const address = URL.canParse(url) ? new URL(url) : undefined
    if (address === undefined || !['http:', 'https:'].includes(address.protocol)) return undefined
    return /[^a-z\d_.:[\]-]/.test(address.host) ? undefined : address.href
  }
  const citing = (page: Page): UrlCitationsOptions => ({ resolve: (cursor) => (cursor === 4 ? page : undefined) })

  test('a page that writes its address against us gets one link to that address and nothing else', () => {
    let links = 0
    fc.assert(
      fc.property(anyUrl, anyTitle, fc.constantFrom('code_points', 'utf16'), (url, title, units) => {
        const page = { url, ...(title !== undefined && { title }) }
        const part = answerOf('x【4†L1】y', { citations: urlCitations({ ...citing(page), units }) })
        const address = webAddressOf(url)
        if (address === undefined) {
          expect(part).toMatchObject({ text: 'x【4†L1】y', annotations: [] })
          return
        }
        links++
        const { host } = new URL(address)
        const domain = host.replace('www.', '')
        const { tags, text } = rendered(part.text)
        expect(tags).toEqual(['<p>', expect.stringMatching(/^<a href="[^"]*">$/), '</a>', '</p>'])
        expect(spelled(unescaped(tags[1]?.slice('<a href="'.length, -2) ?? ''))).toBe(spelled(address))
        expect(text).toBe(`x (${domain})y\n`)
        const [annotation] = part.annotations as [UrlCitation]
        expect(part.annotations).toEqual([{ ...annotation, title: title || domain }])
        expect(annotation.url).toMatch(/^https?:\/\/[^\s\p{C}]+$/u)
        expect(spelled(annotation.url)).toBe(spelled(address))
        expect(part.text.slice(annotation.start_index, annotation.end_index)).toBe(part.text.slice(2, -1))
      }),
      { numRuns: runs(400), examples: [['https://evil.example](javascript:alert(1))[x/y', undefined, 'utf16']] },
    )
    // Half of them are expected: no seed gives so few, not even with 25 runs.
    expect(links).toBeGreaterThan(runs(400) / 8)
  })

  test('a page that writes its address against us changes nothing of the Markdown around it', () => {
    const around = fc
      .array(
        fc.constantFrom(
          ...'()[]<>*_~`$|!"&;:#-+1.\\\n ab',
          '](',
          '<!--',
          '-->',
          '[x]: ',
          '<a href="',
          '">',
          "<a href='",
          "'>",
          '  \n',
        ),
        {
          maxLength: 6,
        },
      )
      .map((parts) => parts.join(''))
    const shown = (text: string, url: string): string =>
      answerOf(text, { citations: urlCitations(citing({ url })) }).text
    const shape = (markdown: string): string[] => {
      const walker = new Parser().parse(markdown).walker()
      const types: string[] = []
      for (let step = walker.next(); step !== null; step = walker.next()) types.push(step.node.type)
      // What is escaped is text of its own.
      return types.filter((type) => type !== 'text')
    }
    fc.assert(
      fc.property(anyUrl, around, around, (url, before, after) => {
        const text = `${before}【4†L1】${after}`
        const markdown = shown(text, url)
        if (webAddressOf(url) === undefined) expect(markdown).toBe(text)
        else expect(shape(markdown)).toEqual(shape(shown(text, 'https://e.com/')))
      }),
      { numRuns: runs(400), examples: [['https://`', '`', '']] },
    )
  })
})

describe('the indexes', () => {
  const TEXTS = [
    '【4†L1】',
    'a【4†L1】b',
    '🫠【4†L1】',
    '🫠🫠【4†L1】🫠【5†L1】🫠【6†L1】🫠',
    '見出し【6†L1】。🇩🇪【6†L2】e\u0301【4†L1】',
    '【4†L1】【5†L1】【6†L1】【4†L1】',
    '\n\n【4†L1】\n\n🫠【99†🫠】【4†L1】',
  ]

  test.each(TEXTS)('the indexes are code points of the text that is shown (%j)', (text) => {
    const part = answerOf(text)
    expect(part.annotations.length).toBeGreaterThan(0)
    for (const { start_index, end_index, url } of urls(part.annotations)) {
      const about = [...part.text].slice(start_index, end_index).join('')
      const cursor = [...URLS].find(([, known]) => known === url)?.[0]
      expect(about).toBe(LINKS.get(cursor as number))
      expect([...part.text][start_index - 1]).toBe(' ')
    }
  })

  test.each(TEXTS)('the indexes are UTF-16 units if they are asked for (%j)', (text) => {
    const part = answerOf(text, { citations: urlCitations({ resolve, units: 'utf16' }) })
    expect(part.annotations.length).toBeGreaterThan(0)
    for (const { start_index, end_index, url } of urls(part.annotations)) {
      const cursor = [...URLS].find(([, known]) => known === url)?.[0]
      expect(part.text.slice(start_index, end_index)).toBe(LINKS.get(cursor as number))
    }
  })

  test('the indexes differ by unit after an emoji', () => {
    const startOf = (units: UrlCitationsOptions['units']): number | undefined =>
      urls(answerOf('🫠【4†L1】', { citations: urlCitations({ resolve, ...(units && { units }) }) }).annotations)[0]
        ?.start_index
    expect([startOf(undefined), startOf('code_points'), startOf('utf16')]).toEqual([2, 2, 3])
  })
})

describe('text that is not a mark stays as it is, without an annotation', () => {
  const PLAIN = [
    '【',
    '】',
    '【】',
    '【12',
    '【12†',
    '【12†L1',
    '【4】',
    '【4†】',
    '【4†L1†】',
    '【†L1】',
    '【a†L1】',
    '【-4†L1】',
    '【4.0†L1】',
    '【４†L1】',
    '【 4†L1】',
    '【4†L1†a†b】',
    '【4†L1\n】',
    '【4\n†L1】',
    '【4†L1†\na】',
    '【4†L1†a【',
    '[4†L1]',
    '〖4†L1〗',
    '【4+L1】',
    '【0000000004†L1】',
    `【4†${'x'.repeat(65)}】`,
    `【4†L1†${'x'.repeat(65)}】`,
    `【4†${'x'.repeat(1000)}】`,
  ]

  test.each(PLAIN)('text that is not a mark stays as it is, without an annotation: %j', (text) => {
    for (const around of [text, `a${text}b`, `${text}\n`, `【${text}`]) {
      expect(answerOf(around)).toMatchObject({ text: around, annotations: [] })
      const run = answering()
      run.push(...around, '<|return|>')
      expect(partOf(run)).toMatchObject({ text: around, annotations: [] })
    }
  })

  test.each([
    ['an unknown cursor', '【99†L1】'],
    ['a name that every object has', '【constructor†L1】'],
  ])('a mark with %s stays text, without an annotation', (_, text) => {
    expect(answerOf(`a${text}b`)).toMatchObject({ text: `a${text}b`, annotations: [] })
  })

  test('a mark of an unknown page has no address to read: the error of an invalid one takes as long as ten tokens', () => {
    const read = vi.spyOn(globalThis, 'URL')
    try {
      answerOf('【99†L1】')
      expect(read).not.toHaveBeenCalled()
      answerOf('【4†L1】')
      expect(read).toHaveBeenCalledOnce()
    } finally {
      read.mockRestore()
    }
  })

  test('text that is not a mark stays as it is, without an annotation, and a mark right after it is one', () => {
    for (const text of PLAIN.filter((text) => !/【4†L1†a【$/.test(text))) {
      expect(answerOf(`${text}【4†L1】`).text).toBe(`${text} ${LINK}`)
    }
  })

  test('the bracket around a mark stays text', () => {
    expect(answerOf('【【4†L1】】')).toMatchObject({ text: `【 ${LINK}】`, annotations: [{ start_index: 2 }] })
    expect(answerOf('【4†【4†L1】')).toMatchObject({ text: `【4† ${LINK}` })
  })

  test.each([
    '【4†x】',
    `【4†${'x'.repeat(64)}】`,
    `【000000004†${'x'.repeat(64)}†${'y'.repeat(64)}】`,
    '【4†L1†e.com】',
    '【4† 】',
  ])('the shortest and the longest mark are marks: %j', (mark) => {
    const run = answering()
    run.push(...mark, 'b')
    expect(run.translator.response.output).toMatchObject([{ content: [{ text: ` ${LINK}b` }] }])
    expect(answerOf(`${mark}b`).text).toBe(` ${LINK}b`)
  })
})

describe('the beginning of a mark that nothing follows goes out as text', () => {
  const BEGINNINGS = [
    '【',
    '【4',
    '【4†',
    '【4†L5',
    '【4†L5†',
    '【4†L5†e.com',
    `【4†${'x'.repeat(64)}†${'y'.repeat(64)}`,
  ]
  const ENDS: Record<string, (run: Run) => ResponseStreamEvent[]> = {
    'its stop token': (run) => run.push('<|return|>'),
    'the next message': (run) => run.push('<|start|>'),
    'a stop': (run) => run.end('stop'),
    'a cut': (run) => run.end(),
    'the token limit': (run) => run.end('max_output_tokens'),
    'the failure of the engine': (run) => run.fail({ message: 'no GPU' }),
    'the client': (run) => run.abort(),
  }
  const STATUS: { [how: string]: string } = {
    'its stop token': 'completed',
    'the next message': 'completed',
    'a stop': 'completed',
  }

  test.each(Object.keys(ENDS))(
    'the beginning of a mark that nothing follows goes out as text if the message is ended by %s',
    (how) => {
      for (const held of BEGINNINGS) {
        const run = answering()
        run.push('a', held)
        const before = run.events.length
        const [delta] = (ENDS[how] as (run: Run) => ResponseStreamEvent[])(run)
        expect(delta).toMatchObject({ type: 'response.output_text.delta', delta: held })
        run.end()
        expect(run.events.slice(0, before).flatMap((event) => ('delta' in event ? [event.delta] : []))).toEqual(['a'])
        expect(briefOutput(run.translator.response)).toEqual([
          `message ${STATUS[how] ?? 'incomplete'} ${JSON.stringify(`a${held}`)}`,
        ])
      }
    },
  )

  test('the beginning of a mark at the end of the stream is emitted as text with the last push, in one delta', () => {
    const run = answering()
    run.push('【4')
    expect(brief(run.push('†L5<|return|>'))).toEqual([
      'output_text.delta 0 "【4†L5"',
      'output_text.done 0',
      'content_part.done 0',
      'output_item.done 0 completed',
    ])
  })

  test('the beginning of a mark at a failure is emitted as text with the text that the parser held', () => {
    const run = answering()
    run.push('a【4†L5<|re')
    expect(brief(run.fail({ message: 'no GPU' })).slice(0, 1)).toEqual(['output_text.delta 0 "【4†L5<|re"'])
    expect(briefOutput(run.translator.response)).toEqual(['message incomplete "a【4†L5<|re"'])
  })

  test('the beginning of a mark that nothing follows goes out as text, and no mark reaches over the end of a message', () => {
    const run = createRun({ citations })
    run.push(inTurn(messageOn('commentary', 'a【4†L<|end|>'), messageOn('final', '5】b<|return|>')))
    expect(briefOutput(terminal(run.end()))).toEqual(['message completed "a【4†L"', 'message completed "5】b"'])
  })
})

describe('cut anywhere, marks and near-marks give the same', () => {
  const begin = messageOn('final')

  test('marks and near-marks that are pushed as text give the same wherever they are cut', () => {
    fc.assert(
      fc.property(someText, someSizes, (text, sizes) => {
        const whole = new Translator({ ...FIXED, citations })
        const wholeEvents = [...whole.push(`${begin}${text}<|return|>`), ...whole.end()]
        const expected = expectedOf(text)
        expectGrammar(wholeEvents, expected)
        if (text !== '') expect(whole.response.output).toMatchObject([{ content: [expected] }])
        const pieces = new Translator({ ...FIXED, citations })
        const events = [
          ...pieces.push(begin),
          ...cut(text, sizes).flatMap((piece) => pieces.push(piece)),
          ...pieces.push('<|return|>'),
          ...pieces.end(),
        ]
        expectGrammar(events, expected)
        expect(withoutDeltaBorders(events)).toEqual(withoutDeltaBorders(wholeEvents))
      }),
      { numRuns: runs(400) },
    )
  })

  test('marks and near-marks that are pushed as tokens give the same one by one and in groups', () => {
    fc.assert(
      fc.property(someText, someSizes, (text, sizes) => {
        const ids = encodeText(text)
        const run = (chunks: readonly number[][]): ResponseStreamEvent[] => {
          const translator = new Translator({ ...FIXED, citations, tokenTable })
          return [
            ...translator.push(encodeHarmony(begin)),
            ...chunks.flatMap((chunk) =>
              chunk.length === 1 ? translator.push(chunk[0] ?? 0) : translator.push(chunk),
            ),
            ...translator.push(encodeHarmony('<|return|>')),
            ...translator.end(),
          ]
        }
        const single = run(ids.map((id) => [id]))
        expectGrammar(single, expectedOf(text))
        expect(withoutDeltaBorders(run([ids]))).toEqual(withoutDeltaBorders(single))
        expect(withoutDeltaBorders(run(cut(ids, sizes)))).toEqual(withoutDeltaBorders(single))
      }),
      { numRuns: runs(250) },
    )
  })

  test('no text of marks and near-marks is lost if the response is cut off, failed or aborted', () => {
    fc.assert(
      fc.property(someText, someSizes, fc.constantFrom('end', 'fail', 'abort'), (text, sizes, how) => {
        const translator = new Translator({ ...FIXED, citations })
        const events = [...translator.push(begin), ...cut(text, sizes).flatMap((piece) => translator.push(piece))]
        if (how === 'end') events.push(...translator.end())
        else events.push(...(how === 'fail' ? translator.fail({ message: 'no GPU' }) : translator.abort()))
        const expected = expectedOf(text)
        expectGrammar(events, expected)
        expect(translator.response.output).toMatchObject([{ status: 'incomplete', content: [expected] }])
      }),
      { numRuns: runs(500) },
    )
  })

  test('marks and near-marks give the same after a snapshot between any two pushes', () => {
    fc.assert(
      fc.property(someText, someSizes, fc.nat(), (text, sizes, at) => {
        const pieces = [begin, ...cut(text, sizes), '<|return|>']
        const first = new Translator({ ...FIXED, citations })
        const whole = pieces.flatMap((piece) => first.push(piece))
        const second = new Translator({ ...FIXED, citations })
        const from = at % pieces.length
        const events = pieces.slice(0, from).flatMap((piece) => second.push(piece))
        const snapshot = JSON.parse(JSON.stringify(second.snapshot())) as TranslatorSnapshot
        const third = Translator.restore(snapshot, { ...FIXED, citations })
        events.push(...pieces.slice(from).flatMap((piece) => third.push(piece)))
        expect(events).toEqual(whole)
      }),
      { numRuns: runs(300) },
    )
  })
})

describe('the page of a cursor', () => {
  const request: ResponseRequest = { tools: [builtin('web_search')] }
  const SHOWN = '[4] In band (https://browser.com/p)\n**viewing lines [0 - 1] of 2**\n\nL0: x'

  /** A run whose browser has shown a page under the cursor 4, in the text of its answer. */
  function afterBrowsing(options: UrlCitationsOptions = {}): Run {
    const run = createRun({ request, citations: urlCitations(options) })
    run.push(callTo('browser.open', '{"id":1}<|call|>'))
    run.answer('browser.open', SHOWN)
    run.push(`<|start|>assistant${messageOn('final')}`)
    return run
  }
  const said = (run: Run): unknown => {
    const item = run.translator.response.output.at(-1)
    return item?.type === 'message' ? item.content[0] : undefined
  }

  test('the page of a cursor is the one that the browser showed in this response', () => {
    const run = afterBrowsing()
    run.push('a【4†L0】.<|return|>')
    expect(said(run)).toMatchObject({
      text: 'a ([browser.com](https://browser.com/p)).',
      annotations: [{ url: 'https://browser.com/p', title: 'In band', start_index: 2, end_index: 40 }],
    })
  })

  test('the page of a cursor is the one that a tool result gives', () => {
    const run = createRun({ request, citations: urlCitations() })
    run.push(callTo('browser.search', '{"query":"q"}<|call|>'))
    run.toolResult({
      itemId: 'ws_0',
      pages: [
        { cursor: 1, url: 'https://one.com', title: 'One' },
        { cursor: 2, url: 'https://two.com' },
      ],
    })
    run.push(`<|start|>assistant${messageOn('final', '【1†L0】【2†L0】【3†L0】<|return|>')}`)
    expect(said(run)).toMatchObject({
      text: ' ([one.com](https://one.com/)) ([two.com](https://two.com/))【3†L0】',
      annotations: [{ title: 'One' }, { title: 'two.com' }],
    })
  })

  test('the page of a cursor is the one that the host resolves, before the browser’s', () => {
    const run = afterBrowsing({ resolve: (cursor) => ({ url: `https://host.com/${cursor}` }) })
    run.push('【4†L0】<|return|>')
    expect(said(run)).toMatchObject({ annotations: [{ url: 'https://host.com/4', title: 'host.com' }] })
  })

  test('the page of a cursor is the browser’s if the host does not resolve it', () => {
    const asked: number[] = []
    const run = afterBrowsing({
      resolve: (cursor) => {
        asked.push(cursor)
        return undefined
      },
    })
    run.push('【4†L0】【12†L0】<|return|>')
    expect(said(run)).toMatchObject({
      text: ' ([browser.com](https://browser.com/p))【12†L0】',
      annotations: [{ url: 'https://browser.com/p' }],
    })
    expect(asked).toEqual([4, 12])
  })

  test('the page of a cursor has to be there at once: a resolver that gives a promise is refused when it is asked', () => {
    const run = answering({ citations: urlCitations({ resolve: (async () => ({ url: 'https://e.com/' })) as never }) })
    expect(() => run.push('x【4†L1】')).toThrow(
      expect.objectContaining({
        name: 'HarmonyResponsesError',
        code: 'bad_option',
        message: 'resolve: expected a page or undefined, not a promise, got Promise',
      }),
    )
  })

  test('the page of a cursor is unknown until the browser has shown it', () => {
    const run = createRun({ request, citations: urlCitations() })
    run.push(inTurn(messageOn('commentary', 'a【4†L0】<|end|>'), callTo('browser.open', '{"id":1}<|call|>')))
    run.answer('browser.open', SHOWN)
    run.push(`<|start|>assistant${messageOn('final', 'b【4†L0】<|return|>')}`)
    const texts = run.translator.response.output.flatMap((item) => (item.type === 'message' ? item.content : []))
    expect(texts.map(({ text }) => text)).toEqual(['a【4†L0】', 'b ([browser.com](https://browser.com/p))'])
  })

  test('a cursor of search results has no page, because they have no address', () => {
    const run = createRun({ request, citations: urlCitations() })
    run.push(callTo('browser.search', '{"query":"q"}<|call|>'))
    run.answer('browser.search', '[0] q\n**viewing lines [0 - 1] of 2**\n\nL0: x')
    run.push(`<|start|>assistant${messageOn('final', 'a【0†L0】<|return|>')}`)
    expect(said(run)).toMatchObject({ text: 'a【0†L0】', annotations: [] })
  })

  test('a cursor has no page if a tool result gives it without an address', () => {
    const run = createRun({ request, citations: urlCitations() })
    run.push(callTo('browser.search', '{"query":"q"}<|call|>'))
    run.toolResult({ itemId: 'ws_0', pages: [{ cursor: 0, url: '', title: 'q' }] })
    run.push(`<|start|>assistant${messageOn('final', 'a【0†L0】<|return|>')}`)
    expect(said(run)).toMatchObject({ text: 'a【0†L0】', annotations: [] })
  })

  test('the page of a cursor survives a snapshot', () => {
    const { translator } = afterBrowsing()
    translator.push('a【4†')
    const snapshot = JSON.parse(JSON.stringify(translator.snapshot())) as TranslatorSnapshot
    const restored = Translator.restore(snapshot, { ...FIXED, request, citations: urlCitations() })
    restored.push('L0】<|return|>')
    expect(briefOutput(restored.response)[1]).toBe('message completed "a ([browser.com](https://browser.com/p))"')
  })
})

describe('restored without the option', () => {
  test('held text is emitted unchanged, with its probabilities, if the translator is restored without the option', () => {
    const options = { ...FIXED, tokenTable, request: { include: ['message.output_text.logprobs'] } }
    const first = new Translator({ ...options, citations })
    first.push(encodeHarmony(messageOn('final')))
    first.push(encodeText('a【4†').map((id) => ({ id, logprob: -1 })))
    const second = Translator.restore(JSON.parse(JSON.stringify(first.snapshot())) as TranslatorSnapshot, options)
    second.push(encodeText('L0】').map((id) => ({ id, logprob: -1 })))
    second.end('stop')
    const [item] = second.response.output
    const [part] = item?.type === 'message' ? (item.content as OutputText[]) : []
    expect(part?.text).toBe('a【4†L0】')
    expect(part?.logprobs?.map(({ token }) => token).join('')).toBe('a【4†L0】')
  })
})

describe('marks are left alone', () => {
  test('marks are left alone in reasoning, in every form of it', () => {
    for (const reasoning of ['raw', 'summary'] as const) {
      const run = createRun({ citations, reasoning })
      run.push(messageOn('analysis', 'a【4†L1】b<|end|>'))
      expect(JSON.stringify(run.translator.response.output)).toContain('"a【4†L1】b"')
      expect(run.events.map(({ type }) => type)).not.toContain('response.output_text.annotation.added')
    }
  })

  test('marks are left alone in the arguments of a call', () => {
    const run = createRun({ citations, request: { tools: [fn('f')] } })
    run.push(callTo('functions.f', '{"a":"【4†L1】"}<|call|>'))
    expect(briefOutput(run.translator.response)).toEqual(['function_call f completed "{\\"a\\":\\"【4†L1】\\"}"'])
  })

  test('marks are left alone without the option, at once and without an annotation', () => {
    const run = createRun()
    run.push(messageOn('final'))
    expect(brief(run.push('a【', '4†', 'L1】<|return|>'))).toEqual([
      'output_text.delta 0 "a【"',
      'output_text.delta 0 "4†"',
      'output_text.delta 0 "L1】"',
      'output_text.done 0',
      'content_part.done 0',
      'output_item.done 0 completed',
    ])
    expect(partOf(run)).toEqual({ type: 'output_text', text: 'a【4†L1】', annotations: [], logprobs: [] })
  })
})

test('marks are turned into annotations in a preamble too', () => {
  const run = createRun({ citations })
  run.push(messageOn('commentary', 'a【4†L1】<|end|>'))
  expect(partOf(run)).toMatchObject({ text: `a ${LINK}`, annotations: [{ start_index: 2 }] })
})

describe('invalid options throw bad_option', () => {
  const BAD = expect.objectContaining({ name: 'HarmonyResponsesError', code: 'bad_option' })

  test.each<[string, unknown]>([
    ['units of another name', { units: 'bytes' }],
    ['units that are not a string', { units: 16 }],
    ['units that are null', { units: null }],
    ['a resolver that is no function', { resolve: new Map() }],
    ['a resolver that is null', { resolve: null }],
    ['null', null],
  ])('invalid options throw bad_option: %s', (_, options) => {
    expect(() => urlCitations(options as UrlCitationsOptions)).toThrow(BAD)
  })

  test.each<[string, unknown]>([
    ['true', true],
    ['the settings instead of the stage', { units: 'utf16' }],
    ['null', null],
  ])('invalid citations throw bad_option: %s', (_, option) => {
    expect(() => createRun({ citations: option as never })).toThrow(BAD)
  })
})

describe('the work is linear in the text', () => {
  const SIZE = sized(100_000, 10_000)
  /** The longest beginning of a mark: 【, a cursor, and two parts. */
  const MAX_LENGTH = 1 + 9 + 1 + 64 + 1 + 64

  test.each(['【', '【1†', '【4†L1†', '】', `【4†${'x'.repeat(64)}`, '【1†L1】', '【123456789†', '†'])(
    'the held text of a repeated %j is bounded',
    (part) => {
      const text = part.repeat(Math.ceil(SIZE / part.length))
      const translator = new Translator({ ...FIXED, citations })
      translator.push(messageOn('final'))
      let longest = 0
      let shown = ''
      const take = (events: readonly ResponseStreamEvent[]): void => {
        for (const event of events) if (event.type === 'response.output_text.delta') shown += event.delta
      }
      for (let at = 0; at < text.length; at++) {
        take(translator.push(text[at] as string))
        if (at % 997 === 0) longest = Math.max(longest, stateOf(translator).held.length)
        // What is not held is out.
        else if (at + 1 - shown.length > MAX_LENGTH) throw new Error(`${at + 1 - shown.length} characters are held`)
      }
      expect(longest).toBeLessThanOrEqual(MAX_LENGTH)
      take(translator.push('<|return|>'))
      expect(shown).toBe(text)
      expect(answerOf(text).text).toBe(text)
    },
  )

  test('the held log-probabilities are bounded, too', () => {
    const request = { include: ['message.output_text.logprobs'] }
    const translator = new Translator({ ...FIXED, citations, tokenTable, request })
    translator.push(encodeHarmony(messageOn('final')))
    const ids = encodeText('【1†'.repeat(sized(2000, 500)))
    for (const [at, id] of ids.entries()) {
      translator.push({ id, logprob: -1 })
      if (at % 97 !== 0) continue
      expect(stateOf(translator).tokens.length).toBeLessThanOrEqual(MAX_LENGTH)
    }
  })
})

describe('log-probabilities', () => {
  const request: ResponseRequest = { include: ['message.output_text.logprobs'] }

  /** Each token with a logprob of its own: -1, -2, -3, ... */
  const score = (ids: readonly number[]): ScoredToken[] => ids.map((id, at) => ({ id, logprob: -1 - at }))
  const idsOf = (logprobs: readonly Logprob[]): number[] => logprobs.map(({ logprob }) => -1 - logprob)

  /** The result of these chunks of an answer: its deltas, and the tokens of each and of the whole, by their number. */
  function scoredRun(chunks: readonly (readonly ScoredToken[])[]): { deltas: [string, number[]][]; all: number[] } {
    const translator = new Translator({ ...FIXED, citations, tokenTable, request })
    const events = [
      ...translator.push(encodeHarmony(messageOn('final'))),
      ...chunks.flatMap((chunk) =>
        chunk.length === 1 ? translator.push(chunk[0] as ScoredToken) : translator.push(chunk),
      ),
      ...translator.push(encodeHarmony('<|return|>')),
      ...translator.end(),
    ]
    const deltas = events.flatMap((event) =>
      event.type === 'response.output_text.delta'
        ? [[event.delta, idsOf(event.logprobs)] satisfies [string, number[]]]
        : [],
    )
    const done = events.find((event) => event.type === 'response.output_text.done')
    const [item] = translator.response.output
    const part = item?.type === 'message' ? item.content[0] : undefined
    const all = part?.logprobs ?? []
    expect(done).toMatchObject({ logprobs: all })
    expect(events.find((event) => event.type === 'response.content_part.done')).toMatchObject({
      part: { logprobs: all },
    })
    return { deltas, all: idsOf(all) }
  }

  /**
   * Where in the shown text each token's first shown character stands, or null where it only spells a mark that was
   * replaced; by the bytes that each token adds.
   */
  function placesOf(text: string, ids: readonly number[]): (number | null)[] {
    const byByte: (number | null)[] = []
    let shown = 0
    for (const { from, until, cursor } of piecesOf(text)) {
      const piece = text.slice(from, until)
      for (const char of piece) {
        for (let byte = new TextEncoder().encode(char).length; byte > 0; byte--)
          byByte.push(cursor === null ? shown : null)
        if (cursor === null) shown += char.length
      }
      if (cursor !== null) shown += 1 + (LINKS.get(cursor) as string).length
    }
    let at = 0
    return ids.map((id) => {
      const from = at
      at += tokenBytes(id)?.length ?? 0
      return byByte.slice(from, at).find((place) => place !== null) ?? null
    })
  }

  function expectScored(text: string, ids: readonly number[], chunks: readonly (readonly ScoredToken[])[]): void {
    const { deltas, all } = scoredRun(chunks)
    const places = placesOf(text, ids)
    const expected = places.flatMap((place, at) => (place === null ? [] : [at]))
    expect(all).toEqual(expected)
    expect(deltas.flatMap(([, of]) => of)).toEqual(all)
    let from = 0
    for (const [delta, of] of deltas) {
      for (const at of of) {
        const place = places[at] ?? -1
        expect(place, `token ${at} in ${JSON.stringify(delta)}`).toBeGreaterThanOrEqual(from)
        expect(place, `token ${at} in ${JSON.stringify(delta)}`).toBeLessThan(from + delta.length)
      }
      from += delta.length
    }
  }

  /** The token of each single byte. */
  const bytes = new Map<number, number>()
  for (let id = 0; bytes.size < 256 && id < 200_000; id++) {
    const [byte, ...more] = tokenBytes(id) ?? []
    if (byte !== undefined && more.length === 0 && !bytes.has(byte)) bytes.set(byte, id)
  }
  const inBytes = (ids: readonly number[]): number[] =>
    ids.flatMap((id) => Array.from(tokenBytes(id) ?? [], (byte) => bytes.get(byte) as number))

  test('log-probabilities of the tokens that are shown stand in the delta that shows them, and those of a mark in none', () => {
    const ids = encodeText('It works【4†L5-L7】.\n')
    const { deltas, all } = scoredRun(score(ids).map((token) => [token]))
    expect(deltas).toEqual([
      ['It', [0]],
      [' works', [1]],
      [` ${LINK}`, []],
      ['.\n', [ids.length - 1]],
    ])
    expect(all).toEqual([0, 1, ids.length - 1])
  })

  test('a token that begins or ends a mark and shows something beside it keeps its log-probability', () => {
    // " 【" and "】\n\n" are one token each.
    const ids = encodeText('a 【4†L1】\n\nb')
    const whole = [
      [`a  ${LINK}`, [0, 1]],
      ['\n\nb', [ids.length - 2, ids.length - 1]],
    ]
    expect(scoredRun([score(ids)]).deltas).toEqual(whole)
    expect(scoredRun(score(ids).map((token) => [token])).all).toEqual([0, 1, ids.length - 2, ids.length - 1])
  })

  test('log-probabilities of a token that ends one mark and begins the next are in no delta', () => {
    // "】【" is one token.
    const ids = encodeText('a【4†L1】【5†L1】b')
    const single = scoredRun(score(ids).map((token) => [token]))
    const whole = scoredRun([score(ids)])
    expect(single.all).toEqual([0, ids.length - 1])
    expect(whole.all).toEqual([0, ids.length - 1])
  })

  test('log-probabilities of held tokens that turned out to be text come with it', () => {
    const ids = encodeText('a【4†L1\n')
    const { deltas, all } = scoredRun(score(ids).map((token) => [token]))
    expect(deltas).toEqual([
      ['a', [0]],
      ['【4†L1\n', ids.slice(1).map((_, at) => at + 1)],
    ])
    expect(all).toEqual(ids.map((_, at) => at))
  })

  test('log-probabilities of tokens that are held at the end come with the text', () => {
    const ids = encodeText('a【4†L1')
    const { deltas } = scoredRun(score(ids).map((token) => [token]))
    expect(deltas.at(-1)).toEqual(['【4†L1', ids.slice(1).map((_, at) => at + 1)])
  })

  test('characters that several tokens make keep their log-probabilities around a mark', () => {
    const ids = encodeText('🫠【4†L1】🫠')
    const emoji = encodeText('🫠').length
    const last = ids.map((_, at) => at).slice(-emoji)
    const first = ids.map((_, at) => at).slice(0, emoji)
    expect(scoredRun([score(ids)]).deltas).toEqual([
      [`🫠 ${LINK}`, first],
      ['🫠', last],
    ])
    expect(scoredRun(score(ids).map((token) => [token])).deltas).toEqual([
      ['🫠', first],
      [` ${LINK}`, []],
      ['🫠', last],
    ])
  })

  test('log-probabilities stand in the same places however the tokens are pushed', () => {
    fc.assert(
      fc.property(someText, someSizes, (text, sizes) => {
        fc.pre(text !== '')
        const ids = encodeText(text)
        expectScored(text, ids, [score(ids)])
        expectScored(
          text,
          ids,
          score(ids).map((token) => [token]),
        )
        expectScored(text, ids, cut(score(ids), sizes))
      }),
      { numRuns: runs(250) },
    )
  })

  test('log-probabilities stand in the same places if tokens are single bytes', () => {
    fc.assert(
      fc.property(someText, someSizes, fc.array(fc.boolean(), { minLength: 1 }), (text, sizes, spelled) => {
        fc.pre(text !== '')
        const ids = encodeText(text).flatMap((id, at) => (spelled[at % spelled.length] ? inBytes([id]) : [id]))
        expectScored(text, ids, [score(ids)])
        expectScored(text, ids, cut(score(ids), sizes))
      }),
      { numRuns: runs(400) },
    )
  })

  test('log-probabilities survive a snapshot in the middle of a mark', () => {
    const ids = score(encodeText('a 【4†L1】\n\nb【4†L1'))
    const options = { ...FIXED, citations, tokenTable, request }
    const whole = new Translator(options)
    whole.push(encodeHarmony(messageOn('final')))
    const expected = [...ids.flatMap((token) => whole.push(token)), ...whole.end()]
    for (let cutAt = 0; cutAt <= ids.length; cutAt++) {
      const first = new Translator(options)
      first.push(encodeHarmony(messageOn('final')))
      const events = ids.slice(0, cutAt).flatMap((token) => first.push(token))
      const second = Translator.restore(JSON.parse(JSON.stringify(first.snapshot())) as TranslatorSnapshot, options)
      events.push(...ids.slice(cutAt).flatMap((token) => second.push(token)), ...second.end())
      expect(events).toEqual(expected)
    }
  })

  test('log-probabilities of a mark are in no delta if only some of its tokens have one', () => {
    const ids = encodeText('a【4†L1】bc')
    const some = (at: number): ScoredToken[] => score(ids).map((token, of) => (of === at ? token : { id: token.id }))
    for (let at = 1; at < ids.length - 1; at++) expect(scoredRun([some(at)]).all, `token ${at}`).toEqual([])
    expect(scoredRun([some(0)]).deltas[0]).toEqual([`a ${LINK}`, [0]])
    expect(scoredRun([some(ids.length - 1)]).all).toEqual([ids.length - 1])
  })

  test.each([
    ['plain', 'I must refuse this【4†L1】, because of the rules that I follow here.'],
    ['with characters of several tokens', '🫠🫠 I must refuse this【4†L1】, because of the rules that I follow here.'],
  ])('a message without a header keeps the log-probabilities of its shown text: %s', (_, text) => {
    const ids = encodeText(text)
    const places = placesOf(text, ids)
    for (const chunks of [[score(ids)], score(ids).map((token) => [token])]) {
      const translator = new Translator({ ...FIXED, citations, tokenTable, request })
      for (const chunk of chunks) translator.push(chunk)
      translator.end('stop')
      const [item] = translator.response.output
      const part = item?.type === 'message' ? item.content[0] : undefined
      expect(part?.text).toBe(expectedOf(text).text)
      expect(idsOf(part?.logprobs ?? [])).toEqual(places.flatMap((place, at) => (place === null ? [] : [at])))
    }
  })
})

test("a page's address is escaped in one pass, however long its words are", () => {
  // Work that grows by the square of this would not end.
  const word = 'a'.repeat(4_000_000)
  const long = urlCitations({ resolve: () => ({ url: `https://example.com/${word}?x&copy;&${word};` }) })
  const run = answering({ citations: long })
  run.push('So【4†L1】.')
  run.push('<|return|>')
  expect(partOf(run).text).toBe(`So ([example.com](https://example.com/${word}?x&copy%3B&${word}%3B)).`)
})
