import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, test } from 'vitest'
import { earlierObstacle, upgradeSuite } from '../database/upgrade.js'
import { describeWithSqlite } from './program.js'

const obstacle = earlierObstacle()
const title = 'two versions on one file'
if (obstacle === undefined) describeWithSqlite(title, suite)
else describe(title, () => test.skip(obstacle, () => {}))

function suite(): void {
  const folder = mkdtempSync(join(tmpdir(), 'upgrade-'))
  afterAll(() => rmSync(folder, { recursive: true }))
  upgradeSuite(() => ({ store: ['--store', join(folder, 'responses.db')], env: { NODE_NO_WARNINGS: '1' } }))
}
