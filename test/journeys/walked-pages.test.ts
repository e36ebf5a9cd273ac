import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { root } from '../docs/pages.js'
import { scriptedServer } from '../support/scripted-server.js'
import { shareInstalled, writeFiles } from './installed.js'
import { ABOUT, PLAYED } from './played-engines.js'
import { cloneInto, createDesk, type Desk, env } from './project.js'
import { stepsOf } from './section.js'
import { type Started, start } from './started.js'
import { type } from './terminal.js'
import { walkIn } from './walk.js'
import { WALKED, type WalkedPage } from './walked-pages.js'

const engines = scriptedServer(ABOUT)

const installed = inject('installed')
let desk: Desk
let replay: Started

beforeAll(async () => {
  desk = await createDesk()
  replay = await start('--port 0 --replay', installed.library, {}, [])
})
afterAll(async () => {
  await replay?.terminate()
  await desk?.remove()
})

async function folderOf({ path, installed: has }: WalkedPage): Promise<string> {
  if (has === 'the checkout') return root
  const folder = await desk.createFolder(path.toLowerCase().replaceAll(/\W+/g, '-'))
  if (has === 'a fresh clone') return cloneInto(folder)
  if (has !== 'nothing') await shareInstalled(folder, has === 'the library' ? installed.library : installed.withPeers)
  return folder
}

describe.concurrent('pages whose commands are typed from top to bottom', () => {
  test.each(WALKED)('$path does what it shows', async (page) => {
    const { path, files = {}, servers = {}, before } = page
    const folder = await folderOf(page)
    await writeFiles(folder, files)
    const own = Object.fromEntries(
      Object.entries(servers).map(([address, played]) => {
        return [address, played === 'replay' ? replay.url : engines.script(PLAYED[played]).url]
      }),
    )
    if (before !== undefined) {
      const typed = Object.entries(own).reduce((text, [address, url]) => text.replaceAll(address, url), before)
      const terminal = type(typed, folder, env)
      expect(await terminal.exit, terminal.printed).toBe(0)
    }
    const steps = stepsOf(path)
    expect(steps).not.toEqual([])
    await walkIn(folder, path, steps, own)
  })
})
