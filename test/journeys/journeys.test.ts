import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hasNginx } from '../deploy/nginx.js'
import { pageOf } from '../docs/pages.js'
import { createDesk, type Desk } from './project.js'
import { stepsOf } from './section.js'
import { walk } from './walk.js'

const PAGE = 'docs/tutorials.md'

/** The tutorials of the page: all headings below which something is typed. */
const headings = Array.from(pageOf(PAGE).matchAll(/^## (.+)$/gm), ([, heading = '']) => heading).filter(
  (heading) => stepsOf(PAGE, heading).length > 0,
)
const needsNginx = (heading: string): boolean =>
  stepsOf(PAGE, heading).some((step) => step.kind === 'type' && /^nginx /m.test(step.commands))

if (!hasNginx && process.env['CI'] === undefined) console.log('nginx is not installed: its journey is skipped')

let desk: Desk

beforeAll(async () => {
  desk = await createDesk()
})
afterAll(() => desk.remove())

describe.concurrent('docs/tutorials.md', () => {
  for (const heading of headings) {
    const isSkipped = needsNginx(heading) && !hasNginx && process.env['CI'] === undefined
    test.skipIf(isSkipped)(`"${heading}" leads from an empty folder to the output that it shows`, () =>
      walk(desk, PAGE, heading),
    )
  }
})

test('docs/tutorials.md has the journeys that newcomers make', () => {
  expect(headings.length).toBeGreaterThanOrEqual(8)
})
