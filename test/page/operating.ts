import type { Page } from 'playwright-core'
import type {
  AdminInterval,
  AdminNow,
  AdminPart,
  AdminRequest,
  AdminRunning,
} from '../../src/endpoint/server/admin/types.js'

export const OPERATOR = 'key-of-the-operator-0123'

/** The last of the figures below: 2026-01-31, 12:00:05. */
const AT = 1_769_860_805

/** Types the operator's key in. */
export async function enter(page: Page, key: string = OPERATOR): Promise<void> {
  await page.getByLabel("The operator's key").fill(key)
  await page.keyboard.press('Enter')
}

/** What a server says of itself. */
export interface Told {
  readonly now: AdminNow
  readonly requests: readonly AdminRequest[]
  readonly series: readonly AdminInterval[]
  readonly parts: readonly AdminPart[]
}

const running = (id: string, owner: string, age: number, tokens: number, cached: number | null): AdminRunning => ({
  ...{ id: `resp_${id.repeat(5)}`, owner, engine: 'gpt-oss', age_seconds: age, tokens },
  tokens_per_second: tokens > 1 ? tokens / (age - 0.5) : null,
  cached_share: cached,
})

function request(number: number, given: Partial<AdminRequest>): AdminRequest {
  const ids = {
    request_id: `req_${`${1000 + number}`.repeat(8)}`,
    response_id: `resp_${`${1000 + number}0`.repeat(10)}`,
  }
  const asked = { owner: 'ann', method: 'POST', route: '/v1/responses', status: 200 }
  const ended = { response_status: 'completed' as const, code: null, why: null, seconds: 1.5 + number / 10 }
  return { number, at: AT - 7 * (40 - number), ...ids, ...asked, ...ended, ...given }
}

const FAULTS: readonly Partial<AdminRequest>[] = [
  { status: 400, response_status: null, code: 'invalid_type', why: 'A parameter has the wrong type.', seconds: 0.004 },
  { status: 429, response_status: null, code: 'rate_limit_exceeded', why: 'There was no place or no memory for it.' },
  { status: 200, response_status: 'failed', code: 'server_error', why: 'The engine or the server failed.' },
  { owner: 'bob', method: 'GET', route: '/v1/responses/:id', response_status: null, seconds: 0.012 },
]

function interval(index: number): AdminInterval {
  const wave = Math.sin(index / 25) + Math.sin(index / 7) / 3
  const isQuiet = index > 200 && index < 240
  const tokens = isQuiet ? 0 : Math.round(900 + 500 * wave)
  return {
    ...{ at: Math.floor(AT / 10) * 10 - 10 * (359 - index), tokens, tokens_per_second: tokens / 10 },
    first_token_p50: isQuiet ? null : 0.4 + 0.2 * Math.abs(wave),
    first_token_p99: isQuiet ? null : 1.6 + 0.9 * Math.abs(Math.sin(index / 11)),
    ...{ running: isQuiet ? 0 : Math.round(3 + 2 * wave), waiting: index % 90 > 80 ? 2 : 0, requests: 4 },
    errors: {
      ...(index % 70 > 66 && { rate_limit_exceeded: (index % 3) + 1 }),
      ...(index % 110 === 50 && { server_error: 2 }),
      ...(index === 300 && { invalid_type: 1 }),
    },
    cached_share: isQuiet ? null : 0.55 + 0.2 * Math.sin(index / 40),
    memory_bytes: 48_000_000 + 90_000 * index + (index % 60) * 200_000,
  }
}

/** A server of two engines, one of which does not answer, that has run for more than an hour. */
export const TOLD: Told = {
  now: {
    ...{ object: 'admin.now', at: AT, waiting: 2, tokens_per_second: 132.4 },
    running: [
      running('6f1c2a90b7', 'ann', 192, 8_214, 0.71),
      running('b04e55d1c2', 'bob', 41.2, 1_690, null),
      running('90aa31f7e8', 'ann', 3.1, 96, 0.98),
      running('77d0c6e4b3', 'nightly-summaries', 0.4, 0, null),
    ],
    memory: { used_bytes: 84_300_000, total_bytes: 512_000_000 },
  },
  requests: Array.from({ length: 40 }, (_, index) => request(index + 1, FAULTS[index % 9] ?? {})),
  series: Array.from({ length: 360 }, (_, index) => interval(index)),
  parts: [
    { type: 'engine', name: 'gpt-oss', health: 'ok', why: null, seconds: 0.031 },
    {
      ...{ type: 'engine', name: 'gpt-oss-safeguard', health: 'failing', seconds: 5 },
      why: 'The engine does not answer, or takes no calls now.',
    },
    { type: 'mcp', name: 'tides', health: 'ok', why: null, seconds: 0.2 },
    { type: 'store', name: 'database', health: 'ok', why: null, seconds: 0.002 },
  ],
}

/** Answers in the server's place: with the figures that the function returns, once the key is that of the operator. */
export async function tell(page: Page, told: () => Told = () => TOLD): Promise<void> {
  await page.route('**/admin/*', async (route) => {
    const request = route.request()
    if ((await request.headerValue('authorization')) !== `Bearer ${OPERATOR}`) return route.continue()
    const { now, requests, series, parts } = told()
    const { pathname, searchParams } = new URL(request.url())
    const after = Number(searchParams.get('after'))
    const data = requests.filter(({ number }) => number > after)
    const answers: Readonly<Record<string, object>> = {
      '/admin/now': now,
      '/admin/requests': { object: 'list', data, last: data.at(-1)?.number ?? after, has_more: false },
      '/admin/series': { object: 'admin.series', interval_seconds: 10, data: series },
      '/admin/parts': { object: 'admin.parts', data: parts },
    }
    await route.fulfill({ json: answers[pathname] })
  })
}
